"""What the section on sizes says."""

TOKENS_HELP = "For the curves and the memory; the table above them is about your own sentence."
PARTS = (
    "Each part of this model for your input of {tokens} tokens: by formula, from its sizes alone, and by count, "
    "from its module tree and from watching it run. A multiplication and an addition are two operations (FLOPs)."
)
UNCOUNTED = (
    "Only matrix products are counted, by both; norms, softmax and activations are left out (they lack a factor *d*), "
    "and the half of the scores that a causal mask hides is counted in full."
)
NO_FORMULA = (
    "There is no formula here for this architecture: what follows is counted, not derived. GPT, BERT, Llama, T5 and "
    "ViT have one."
)
FAMOUS = (
    "Published is the most exact count that its makers or releases give; printed is what the paper says, often "
    "rounded, and for GPT-2 wrong."
)
OWN = (
    "A decoder like GPT-2: choose its sizes; the MLP is four times as wide as the stream, and the token table is also "
    "the head."
)
REFERENCES = (
    "Kaplan et al. 2020, [Scaling Laws for Neural Language Models](https://arxiv.org/abs/2001.08361), table 1: "
    "parameters and operations of each part.",
    "Hoffmann et al. 2022, [Training Compute-Optimal Large Language Models](https://arxiv.org/abs/2203.15556), "
    "appendix F: operations with embeddings and scores.",
    "Brown et al. 2020, [Language Models are Few-Shot Learners](https://arxiv.org/abs/2005.14165), tables 2.1 and D.1: "
    "the eight sizes of GPT-3.",
    "Devlin et al. 2018, [BERT](https://arxiv.org/abs/1810.04805), section 3: its two sizes.",
    "Radford et al. 2018, [Improving Language Understanding by Generative Pre-Training]"
    "(https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf), and the released "
    "[GPT-2](https://github.com/openai/gpt-2), whose README corrects the counts of its paper.",
    "Raffel et al. 2020, [Exploring the Limits of Transfer Learning](https://arxiv.org/abs/1910.10683), section 3.7: "
    "the five sizes of T5.",
)
