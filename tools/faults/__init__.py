"""Kills, fills disks, cuts lines and damages databases, and compares with what happens without that."""
