"""What descriptions and results say about effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.checks.effect_evidence import described_effect, result_change

if TYPE_CHECKING:
    from callscore.core.call import Effect


@pytest.mark.parametrize(
    ("description", "effect", "words"),
    [
        ("A read-only view of the orders.", "read", "read-only"),
        ("Order totals. This does not change anything.", "read", "does not change"),
        ("Computes totals without modifying data.", "read", "without modifying data"),
        ("It has no side effects.", "read", "no side effects"),
        ("Gets the weather of a city.", "read", "Gets"),
        ("Returns all orders of a customer.", "read", "Returns"),
        ("Look up a flight.", "read", "Look"),
        ("[Beta] Use this tool to search the web.", "read", "search"),
        ("This tool lists all files.", "read", "lists"),
        ("Creates a new order.", "write", "Creates"),
        ("Modifies an order.", "write", "Modifies"),
        ("Cancel a reservation. Returns the reservation.", "write", "Cancel"),
        ("Order cleanup. This operation deletes all drafts.", "write", "This operation deletes"),
        ("Cleans the table. It cannot be undone.", "write", "cannot be undone"),
        ("  **Deletes** a user.", "write", "Deletes"),
    ],
)
def test_clear_descriptions_tell_the_effect(description: str, effect: Effect, words: str) -> None:
    assert described_effect(description) == (effect, words, "high")


@pytest.mark.parametrize(
    "description",
    [
        None,
        "",
        "   ",
        "Weather of a city.",
        "The users that were created and deleted.",
        "Return some items of an order.",  # sends them back
        "Get or create a user.",
        "Fetches the next job and deletes it.",
        "Check in a passenger.",
        "Updates the cache, and is otherwise read-only.",
        "This is not read-only.",
        "Set in read-only mode.\n\nDoes not change the address, and has no side effects.",
        "日本語",
        "\x00\x1b[31m",
        "(" * 5_000,
        "[" * 5_000 + "Deletes",
    ],
)
def test_unclear_descriptions_tell_nothing(description: str | None) -> None:
    assert described_effect(description) is None


@pytest.mark.parametrize(
    ("result", "word"),
    [
        ("Created order 7.", "created"),
        ("Order 7 was booked; the seats have been reset.", "booked"),
        ("Order 7 was shown; the seats have been reset.", "reset"),
        ("created", "created"),
        ("Order created", "created"),
        ("Order 7 created", "created"),
        ("Order #7 created!", "created"),
        ("The order was created", "created"),
        ("The orders were cancelled.", "cancelled"),
        ("The message is sent.", "sent"),
        ("Airplane mode is now disabled", "disabled"),
        ("Ticket created with id 42", "created"),
        ("Thanks. Your refund request submitted.", "submitted"),
        ("3 rows updated", "updated"),
        ({"message": "Order created"}, "created"),
        ('{"result": "Order 7 deleted"}', "deleted"),
        ("Successfully updated 3 rows", "updated"),
        ("Roaming enabled successfully", "enabled"),
        ("The reservation has been cancelled.", "cancelled"),
        ("OK: deleted", "deleted"),
        ({"status": "created", "id": 7}, "created"),
        ({"deleted": True}, "deleted"),
        ({"message": "Invoice has been sent."}, "sent"),
        ('{"message": "Order updated successfully"}', "updated"),
        ([{"type": "text", "text": "Removed 2 files."}], "removed"),
    ],
)
def test_confirmations_tell_a_change(result: Any, word: str) -> None:
    assert result_change(result) == word


@pytest.mark.parametrize(
    "result",
    [
        None,
        5,
        [],
        {},
        "",
        "sunny",
        "Not created: the name is taken.",
        "Nothing has been updated.",
        "Updated 0 rows",
        "3 orders found",
        "The order is cancelled.",
        "Roaming enabled",
        "Status: cancelled",
        "Order status cancelled",
        "Order already cancelled",
        "Order 7 was created on 2026-01-01.",
        "Order 7 created at 10:00",
        "Created at 2026-01-01",
        "Updated: 2026-01-01",
        "Created by Ann",
        "Last updated",
        "The order must be approved",
        "Orders created: 1, 2, 3",
        "The created orders",
        "Orders that were created",
        "No order created",
        "Order was not created",
        {"created_at": "2026-01-01"},
        {"orders": ["Order created"]},
        [{"id": 1, "status": "created"}, {"id": 2, "status": "created"}],
        "No order has been cancelled.",
        {"created": False},
        {"created_at": "2026-01-01", "id": 7},
        # A record that was looked up has a status, too.
        {"id": 1, "status": "cancelled", "items": [], "user": 2, "total": 3, "paid": 4, "note": 5},
        '{"id": 1, "status": "cancelled", "a": 1, "b": 2, "c": 3, "d": 4, "e": 5}',
        "Created " + "x" * 1_000,
        "{" * 100_000,
        [[["Created order 7."]]],
        {5: "created", None: True},
    ],
)
def test_other_results_tell_nothing(result: Any) -> None:
    assert result_change(result) is None
