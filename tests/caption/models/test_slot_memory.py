"""What sentences have named so far: words and shares of things, and that slots learn not to name them again."""

from __future__ import annotations

import torch

from limner.caption.models.slot_memory import SlotMemory, named_by, proposal_shares
from limner.caption.training.slot_task import slot_loss
from limner.learn.vocabulary import BOS, UNKNOWN
from slot_cases import N_VOCAB, slot_batch, slot_model, slot_regions

torch.set_num_threads(1)

# The regions of one image: two proposals of class 1, one each of 2 and 3; a region of class 1 is no proposal.
CLASSES = torch.tensor([[1, 2, 1, 3, 1, 0]])
PROPOSALS = torch.tensor([[True, True, True, True, False, False]])


def memory_after(*tokens: int) -> SlotMemory:
    model = slot_model()
    choices = model.table.choices(CLASSES * PROPOSALS, model.words.fixed)
    shares = proposal_shares(choices.rows, PROPOSALS)
    memory = SlotMemory.empty(1, choices, shares)
    for token in tokens:
        memory = memory.after(named_by(torch.tensor([token]), choices, choices.rows, shares))
    return memory


def shares_after(*tokens: int) -> list[float]:
    return memory_after(*tokens).named[0].tolist()


def test_a_word_names_one_thing_of_its_class_and_a_plural_all_of_them() -> None:
    assert shares_after() == [0, 0, 0, 0, 0, 0]
    # 8 is a word for class 1 alone, which has two proposals here.
    assert shares_after(8) == [0.5, 0, 0.5, 0, 0, 0]
    assert shares_after(8, 8) == [1, 0, 1, 0, 0, 0]
    assert shares_after(8, 8, 8) == [1, 0, 1, 0, 0, 0]
    # 3 is a word for classes 1 and 3, and 4 its plural.
    assert shares_after(3) == [0.5, 0, 0.5, 1, 0, 0]
    assert shares_after(4) == [1, 0, 1, 1, 0, 0]


def test_words_are_said_in_either_number_and_text_names_nothing() -> None:
    said = memory_after(BOS, UNKNOWN, 4).said[0]
    assert said.sum() == 1
    assert torch.equal(said, memory_after(3).said[0])
    assert not memory_after(BOS, UNKNOWN).named.any()


def test_the_memory_of_whole_sentences_is_that_of_their_words_one_by_one() -> None:
    model, regions = slot_model(), slot_regions()
    choices = model.table.choices(regions.classes * regions.proposals, model.words.fixed)
    shares = proposal_shares(choices.rows, regions.proposals)
    tokens = torch.randint(0, N_VOCAB, (3, 6), generator=torch.Generator().manual_seed(3))
    rows = torch.arange(3).repeat_interleave(6)
    whole = named_by(tokens.flatten(), choices, choices.rows[rows], shares[rows]).cumulated(6)
    memory = SlotMemory.empty(3, choices, shares)
    for at in range(6):
        memory = memory.after(named_by(tokens[:, at], choices, choices.rows, shares))
        for ours, theirs in zip(whole, memory, strict=True):
            torch.testing.assert_close(ours.unflatten(0, (3, 6))[:, at], theirs)


def test_captions_that_name_things_once_teach_the_pointer_not_to_come_back() -> None:
    model = slot_model(seed=1)
    with torch.no_grad():
        model.heads.again.zero_()
    regions = slot_regions(1, 4)._replace(
        classes=torch.tensor([[1, 2, 3, 4]]),
        mask=torch.ones(1, 4, dtype=torch.bool),
        proposals=torch.ones(1, 4, dtype=torch.bool),
    )
    # In every order, each of three things once.
    sentences = [[8, 5, 7], [5, 7, 8], [7, 8, 5], [8, 7, 5], [7, 5, 8], [5, 8, 7]]
    region_of = {8: 0, 5: 1, 7: 3}
    slots = [(row, at, [region_of[word]]) for row, words in enumerate(sentences) for at, word in enumerate(words)]
    regions = regions.take(torch.zeros(len(sentences), dtype=torch.long))
    batch = slot_batch(sentences, slots, 4)
    optimiser = torch.optim.Adam([model.heads.again], lr=0.1)
    for _ in range(20):
        optimiser.zero_grad()
        slot_loss(model, regions, batch).backward()
        optimiser.step()
    assert model.heads.again.item() < -1
