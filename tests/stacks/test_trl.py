"""The reward function inside TRL: one step of `GRPOTrainer` with a small untrained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from datasets import Dataset
from msgspec.json import encode
from tests.stacks.sample_runs import FLEXIBLE, SAMPLES, Sample
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.decoders import ByteLevel
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

import callscore
from callscore.adapters.trl import tool_calls

if TYPE_CHECKING:
    from pathlib import Path

PAD, END = "<pad>", "<end>"
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
)


def small_tokenizer() -> Any:
    """One token for each byte, and two special ones."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: number for number, letter in enumerate([PAD, END, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        chat_template=TEMPLATE,
        padding_side="left",
    )


def small_model(tokenizer: Any) -> Any:
    configuration = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return Qwen2ForCausalLM(configuration)


def trained(folder: Path, rows: list[dict[str, Any]], *rewards: Any) -> dict[str, float]:
    """What the trainer logs after one step."""
    tokenizer = small_tokenizer()
    arguments = GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=8,
        max_steps=1,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=small_model(tokenizer),
        reward_funcs=list(rewards),
        args=arguments,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    return dict(trainer.state.log_history[0])


def in_text(calls: list[Any]) -> str:
    """Calls as Hermes and Qwen write them."""
    texts = [
        call["arguments"]
        if isinstance(call["arguments"], str)
        else encode(call["arguments"]).decode()
        for call in calls
    ]
    return "\n".join(
        f'<tool_call>\n{{"name": "{call["name"]}", "arguments": {text}}}\n</tool_call>'
        for call, text in zip(calls, texts, strict=True)
    )


@pytest.mark.parametrize("options", [{}, FLEXIBLE])
@pytest.mark.parametrize("conversational", [False, True])
def test_the_rewards_are_the_scores_of_score(options: Any, conversational: bool) -> None:
    dataset = Dataset.from_list(
        [{"prompt": "?", "expected": encode(sample.expected).decode()} for sample in SAMPLES]
    )
    texts = [in_text(sample.actual) or "It is sunny." for sample in SAMPLES]
    completions: list[Any] = texts
    if conversational:
        completions = [[{"role": "assistant", "content": text}] for text in texts]

    rewards = tool_calls(**options)(
        prompts=list(dataset["prompt"]),
        completions=completions,
        completion_ids=[],
        expected=list(dataset["expected"]),
    )

    assert rewards == [sample.score(**options).f1 for sample in SAMPLES]


def test_messages_with_calls_and_results_are_read() -> None:
    function = {"name": "save", "arguments": {"path": "a.txt"}}
    completion = [
        {"role": "assistant", "tool_calls": [{"type": "function", "function": function}]},
        {"role": "tool", "name": "save", "content": "saved"},
        {"role": "assistant", "content": "Done."},
    ]

    (reward,) = tool_calls()(prompts=["?"], completions=[completion], expected_tools=[["save"]])

    assert reward == 1


@pytest.mark.parametrize("conversational", [False, True])
def test_a_trainer_takes_a_step_and_logs_the_reward(tmp_path: Path, conversational: bool) -> None:
    def prompt(text: str) -> Any:
        return [{"role": "user", "content": text}] if conversational else text

    # An untrained model calls no tool: that is right in one row, and wrong in the other.
    rows = [
        {"prompt": prompt("Say nothing."), "expected": "[]"},
        {"prompt": prompt("Weather?"), "expected": '["get_weather"]'},
    ]

    log = trained(tmp_path, rows, tool_calls(name="calls"))

    assert log["rewards/calls/mean"] == pytest.approx(0.5)
    assert log["reward"] == pytest.approx(0.5)


def test_a_missing_column_stops_the_training(tmp_path: Path) -> None:
    rows = [{"prompt": "a", "answer": "x"}, {"prompt": "b", "answer": "y"}]

    with pytest.raises(callscore.InvalidCall, match=r"no column 'expected' or .*'answer'"):
        trained(tmp_path, rows, tool_calls())


def test_a_column_of_objects_must_not_have_nulls_that_a_table_put_there() -> None:
    rows = [
        {"expected": Sample("a", SAMPLES[0].expected[:1], []).expected},
        {"expected": Sample("b", SAMPLES[0].expected[1:], []).expected},
    ]
    column = Dataset.from_list(rows)["expected"]

    with pytest.raises(
        callscore.InvalidCall, match=r"an argument in expected\[0\] is null.*JSON text"
    ):
        tool_calls()(prompts=["", ""], completions=["", ""], expected=list(column))
