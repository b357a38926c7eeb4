"""Words that make up values people recognise: what a city, a name or a query may be."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["THINGS", "usual_range", "words_for", "words_in"]

# What an argument is about, by a word in its name; the last word of the name tells most.
_CITIES = ("Paris", "Berlin", "Tokyo", "Lisbon", "Oslo", "Toronto", "Nairobi", "Lima", "Prague")
_NAMES = ("Alice Martin", "Boris Novak", "Chen Wei", "Dana Silva", "Emre Kaya", "Fatima Haddad")
_TOPICS = (
    "electric bicycles",
    "the history of tea",
    "solar panels for a small roof",
    "trains to the coast",
    "how bread rises",
    "quiet places to work",
)
_TEXTS = (
    "The meeting moves to Thursday.",
    "Please call me back in the afternoon.",
    "The parcel arrived this morning.",
    "We need two more chairs.",
    "The report is ready for review.",
)
_CODES = ("K7Q2", "M4X9", "R8T1", "B3N6", "Z5H0", "W2D7")
_PATHS = ("notes/plan.txt", "reports/march.csv", "photos/harbour.png", "src/main.py")
_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("city", "location", "place", "town", "destination", "origin"), _CITIES),
    **dict.fromkeys(("name", "user", "customer", "person", "author", "owner", "contact"), _NAMES),
    **dict.fromkeys(("username", "login", "account"), ("amartin", "bnovak", "cwei", "dsilva")),
    **dict.fromkeys(("query", "question", "topic", "search", "prompt", "subject"), _TOPICS),
    **dict.fromkeys(("text", "message", "body", "content", "note", "comment", "summary"), _TEXTS),
    **dict.fromkeys(("id", "code", "key", "token", "reference", "number", "sku"), _CODES),
    **dict.fromkeys(("path", "file", "filename", "folder"), _PATHS),
    "first": ("Alice", "Boris", "Chen", "Dana"),
    "last": ("Martin", "Novak", "Wei", "Silva"),
    "country": ("France", "Japan", "Kenya", "Peru", "Norway"),
    "language": ("English", "French", "Japanese", "Portuguese"),
    "lang": ("en", "fr", "ja", "pt"),
    "currency": ("EUR", "USD", "JPY", "NOK"),
    "symbol": ("ACME", "GLOBX", "INTK", "UMBR"),
    "unit": ("celsius", "fahrenheit", "kelvin"),
    "units": ("metric", "imperial"),
    "email": ("alice@example.com", "boris@example.org", "chen@example.net"),
    "mail": ("alice@example.com", "boris@example.org", "chen@example.net"),
    "phone": ("+44 20 7946 0958", "+33 1 99 00 12 34", "+49 30 901820"),
    "address": ("12 Mill Lane", "7 Harbour Street", "40 Station Road"),
    "street": ("Mill Lane", "Harbour Street", "Station Road"),
    "zip": ("10115", "75001", "94105"),
    "url": ("https://example.com/a", "https://example.org/docs", "https://example.net/news"),
    "uri": ("https://example.com/a", "https://example.org/docs", "https://example.net/news"),
    "date": ("2025-03-14", "2025-07-02", "2025-11-20", "2026-01-09"),
    "day": ("Monday", "Wednesday", "Friday", "Sunday"),
    "time": ("09:30", "13:15", "18:45"),
    "title": ("A quiet harbour", "The long way home", "Notes on bread"),
    "reason": ("it arrived too late", "ordered by mistake", "no longer needed"),
    "color": ("green", "dark blue", "ochre"),
    "colour": ("green", "dark blue", "ochre"),
    "category": ("books", "kitchen", "garden", "music"),
    "product": ("desk lamp", "water bottle", "headphones"),
    "item": ("desk lamp", "water bottle", "headphones"),
    "model": ("small", "medium", "large"),
    "status": ("open", "waiting", "done"),
    "expression": ("12 * 7", "(3 + 4) / 2", "9 - 5 + 1"),
    "operation": ("add", "subtract", "multiply"),
    "genre": ("jazz", "crime", "documentary"),
    "cuisine": ("Italian", "Thai", "Ethiopian"),
    "airport": ("CDG", "BER", "HND", "LIS"),
    "timezone": ("Europe/Paris", "Asia/Tokyo", "UTC"),
}
THINGS = ("amber", "birch", "copper", "delta", "ember", "fern", "granite", "harbour", "iris")
_RANGES: dict[str, tuple[int, int]] = {
    "age": (18, 80),
    "year": (1990, 2026),
    "month": (1, 12),
    "day": (1, 28),
    "days": (1, 14),
    "hour": (0, 23),
    "minute": (0, 59),
    "latitude": (-60, 60),
    "lat": (-60, 60),
    "longitude": (-170, 170),
    "lon": (-170, 170),
    "lng": (-170, 170),
    "page": (1, 10),
    "limit": (1, 50),
    "count": (1, 10),
    "quantity": (1, 10),
    "guests": (1, 6),
    "passengers": (1, 6),
    "rating": (1, 5),
    "percent": (0, 100),
    "price": (5, 500),
    "amount": (5, 500),
    "temperature": (-10, 40),
}
_USUAL = (1, 100)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")


@lru_cache(maxsize=1024)
def words_in(name: str) -> tuple[str, ...]:
    """The words of a name, however it is written: `getWeather`, `get_weather`, `get-weather`."""
    return tuple(word.lower() for word in _PARTS.findall(name))


def words_for(name: str) -> tuple[str, ...]:
    """Values that an argument of such a name may have; things where the name tells nothing."""
    for word in reversed(words_in(name)):
        found = _WORDS.get(word) or _WORDS.get(word.removesuffix("s"))
        if found is not None:
            return found
    return THINGS


def usual_range(name: str) -> tuple[int, int]:
    """The numbers that are usual for an argument of such a name."""
    for word in reversed(words_in(name)):
        if word in _RANGES:
            return _RANGES[word]
    return _USUAL
