import pytest
from sacrebleu import corpus_bleu, corpus_chrf
from sacrebleu.metrics import BLEU

from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.translation.decoding import END, beam_search, padded
from tests.core.tiny_translators import tiny
from training.common import pairs
from training.translation import quality

HELD = [
    ("The cat sleeps on the red chair in the house.", ["Le chat dort sur la chaise rouge.", "Un chat dort ici."]),
    ("The dog runs.", ["Le chien court vite."]),
    ("We read a very long book about the sea.", ["Nous lisons un livre.", "On lit un livre.", "Nous lisons."]),
]


def test_scores_are_those_of_sacrebleu_with_all_references():
    written = ["Le chat dort sur la chaise.", "Le chien court vite.", "On lit un livre."]
    streams = [[french[min(n, len(french) - 1)] for _, french in HELD] for n in range(3)]
    scores = quality.scores(written, [french for _, french in HELD])
    assert scores["bleu"] == pytest.approx(corpus_bleu(written, streams).score, abs=0.01)
    assert scores["chrf"] == pytest.approx(corpus_chrf(written, streams).score, abs=0.01)


def test_the_second_reference_is_as_good_as_the_first():
    written = [french[-1] for _, french in HELD]
    assert quality.scores(written, [french for _, french in HELD]) == {"bleu": 100.0, "chrf": 100.0}


def test_the_standard_error_of_bleu_is_that_of_sacrebleu_s_own_bootstrap():
    written = [" ".join(f"{'abcdef'[(place * step) % 6]}{step % 3}" for step in range(12)) for place in range(60)]
    references = [[text.replace("c", "d") if place % 3 else text] for place, text in enumerate(written)]
    streams = [[french for (french,) in references]]
    interval = BLEU().corpus_score(written, streams, n_bootstrap=1000)._ci  # half of that of 95 %
    assert quality.bleu_error(written, references) == pytest.approx(interval / 1.96, rel=0.1)
    assert quality.bleu_error(written, [[text] for text in written]) == 0.0


def test_signatures_name_the_version_and_the_tokenizer_of_sacrebleu():
    signatures = quality.signatures([french for _, french in HELD])
    assert "tok:13a" in signatures["bleu"]
    assert "version:" in signatures["bleu"]
    assert "nc:6" in signatures["chrf"]


@pytest.mark.parametrize(("low", "high"), [(1, 5), (6, 10), (16, 20), (31, 40)])
def test_texts_of_a_bucket_have_as_many_words_as_it_says(low: int, high: int):
    texts = quality.bucket(HELD, low, high)
    assert texts
    assert all(low <= len(english.split()) <= high for english, _ in texts)


def test_a_joined_text_has_the_translations_of_its_sentences_in_order():
    english, versions = quality._join(HELD)
    assert english == " ".join(english for english, _ in HELD)
    assert versions[0] == " ".join(french[0] for _, french in HELD)
    assert versions[2] == "Le chat dort sur la chaise rouge. Le chien court vite. Nous lisons."


def test_translations_come_back_in_the_order_of_the_texts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(quality, "TOGETHER", 30)
    tokenizer = pairs.train_tokenizer([(english, french) for english, of in HELD for french in of], 90)
    model = tiny("transformer", vocabulary=tokenizer.get_vocab_size())
    texts = [english for english, _ in HELD] * 2
    alone = []
    for text in texts:
        source = padded([[*tokenizer.encode(text, add_special_tokens=False).ids, END]])
        alone.append(tokenizer.decode(list(beam_search(model, *source, beam=2)[0].best.tokens)))
    assert quality.translate(model, tokenizer, texts, beam=2) == alone


def test_training_operations_are_three_times_those_of_the_products_in_a_forward_pass():
    tokenizer = pairs.train_tokenizer([(english, french) for english, of in HELD for french in of], 90)
    batches = pairs.Batches(tokenizer, [(english, french[0]) for english, french in HELD], tokens=500, seed=0, joined=0)
    vocabulary, width, state = tokenizer.get_vocab_size(), 8, 12
    model = Seq2Seq(Seq2SeqConfig(vocabulary, width, state)).eval()
    source, target, _ = batches.batch(0)
    gates = 3 * state
    products = source.numel() * gates * (width + state)  # the encoder
    products += len(source) * 2 * state * state  # the summary, the first state
    products += target.numel() * gates * (width + state + state)  # the decoder
    products += target.numel() * ((2 * state + width) * 2 * width + width * vocabulary)  # the readout
    assert quality.training_flops(model, batches) == 3 * 2 * products
