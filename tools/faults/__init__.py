"""Kills, fills disks, cuts connections and damages databases, and compares with what happens without that."""
