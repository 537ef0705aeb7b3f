"""Where to read on: each work with what it is good for here."""

VASWANI = (
    "Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2: "
    "scaled dot-product and multi-head attention."
)
ALAMMAR = (
    "Alammar 2018, [The Illustrated Transformer](https://jalammar.github.io/illustrated-transformer/): the scores 112 "
    "and 96 of the classic example, as drawings."
)
RADFORD = (
    "Radford et al. 2019, [Language Models are Unsupervised Multitask Learners]"
    "(https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), "
    "section 2.3: GPT-2, whose layers `gpt-books` has."
)
JAIN = (
    "Jain and Wallace 2019, [Attention is not Explanation](https://arxiv.org/abs/1902.10186), and "
    "Wiegreffe and Pinter 2019, [Attention is not not Explanation](https://arxiv.org/abs/1908.04626): "
    "what a map can and cannot prove."
)
CLARK = (
    "Clark et al. 2019, [What Does BERT Look At?](https://arxiv.org/abs/1906.04341): previous-token heads, "
    "separator heads, syntax."
)
OLSSON = (
    "Olsson et al. 2022, [In-context Learning and Induction Heads](https://arxiv.org/abs/2209.11895): "
    "heads that look for what came after the last time."
)
XIAO = (
    "Xiao et al. 2023, [Efficient Streaming Language Models with Attention Sinks]"
    "(https://arxiv.org/abs/2309.17453): why so much attention rests on the first token."
)
DOSOVITSKIY = (
    "Dosovitskiy et al. 2020, [An Image is Worth 16x16 Words](https://arxiv.org/abs/2010.11929): "
    "the vision transformer; figures 6 and 7 look at its attention."
)
DARCET = (
    "Darcet et al. 2023, [Vision Transformers Need Registers](https://arxiv.org/abs/2309.16588): "
    "why a few empty patches of sky can draw everybody's attention."
)
VOITA = (
    "Voita et al. 2019, [Analyzing Multi-Head Self-Attention](https://arxiv.org/abs/1905.09418): positional, syntactic "
    "and rare-word heads do the heavy lifting, the rest can be pruned."
)
MICHEL = (
    "Michel et al. 2019, [Are Sixteen Heads Really Better than One?](https://arxiv.org/abs/1905.10650): most heads can "
    "be removed, one at a time, at almost no cost."
)
KOBAYASHI = (
    "Kobayashi et al. 2020, [Attention is Not Only a Weight](https://arxiv.org/abs/2004.10102): a weight times a small "
    "vector is small; measure norms."
)
ELMAN = (
    "Elman 1990, [Finding Structure in Time](https://doi.org/10.1207/s15516709cog1402_1): the simple recurrent network."
)
BENGIO = (
    "Bengio, Simard and Frasconi 1994, [Learning Long-Term Dependencies with Gradient Descent is Difficult]"
    "(https://doi.org/10.1109/72.279181): why the gradient vanishes, proved."
)
PASCANU = (
    "Pascanu, Mikolov and Bengio 2013, [On the difficulty of training recurrent neural networks]"
    "(https://arxiv.org/abs/1211.5063): vanishing and exploding gradients, in pictures."
)
HOCHREITER = (
    "Hochreiter and Schmidhuber 1997, [Long Short-Term Memory](https://doi.org/10.1162/neco.1997.9.8.1735): "
    "a cell that can hold, and tasks that only memory can solve."
)
CHO = (
    "Cho et al. 2014, [Learning Phrase Representations using RNN Encoder-Decoder](https://arxiv.org/abs/1406.1078), "
    "section 2.3: the gated recurrent unit."
)
KARPATHY = (
    "Karpathy 2015, [The Unreasonable Effectiveness of Recurrent Neural Networks]"
    "(https://karpathy.github.io/2015/05/21/rnn-effectiveness/): characters, and the Shakespeare they learn here."
)
GEHRING = (
    "Gehring et al. 2017, [Convolutional Sequence to Sequence Learning](https://arxiv.org/abs/1705.03122): "
    "text in windows, all at once."
)
TABLE_1 = (
    "Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 4 and Table 1: "
    "path length, sequential steps and operations of each kind of layer."
)
KHANDELWAL = (
    "Khandelwal et al. 2018, [Sharp Nearby, Fuzzy Far Away](https://arxiv.org/abs/1805.04623): "
    "an LSTM knows about 200 words back, but the order of only the nearest 50."
)
ABNAR = (
    "Abnar and Zuidema 2020, [Quantifying Attention Flow in Transformers](https://arxiv.org/abs/2005.00928): rollout "
    "and attention flow."
)
BASTINGS = (
    "Bastings and Filippova 2020, [The elephant in the interpretability room](https://arxiv.org/abs/2010.05607): why "
    "use attention as an explanation when there are saliency methods?"
)
ELHAGE = (
    "Elhage et al. 2021, [A Mathematical Framework for Transformer Circuits]"
    "(https://transformer-circuits.pub/2021/framework/index.html): heads are independent, and their outputs add up."
)
VASWANI_POSITIONS = (
    "Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.5: "
    "positions as waves, and why a step is a linear map."
)
SU = (
    "Su et al. 2021, [RoFormer](https://arxiv.org/abs/2104.09864): rotary positions; equations 15, 16 and 34 are "
    "those used here."
)
PRESS = (
    "Press et al. 2022, [Train Short, Test Long](https://arxiv.org/abs/2108.12409): ALiBi; figure 1 measures what "
    "happens beyond the training length."
)
RAFFEL = (
    "Raffel et al. 2020, [Exploring the Limits of Transfer Learning](https://arxiv.org/abs/1910.10683), section 2.1: "
    "T5 and its relative biases."
)
LIU = (
    "Liu et al. 2021, [Swin Transformer](https://arxiv.org/abs/2103.14030), section 3.2, equation 4: relative "
    "position bias in windows."
)
HAVIV = (
    "Haviv et al. 2022, [Transformer Language Models without Positional Encodings Still Learn Positional Information]"
    "(https://arxiv.org/abs/2203.16634): what a causal mask alone can tell."
)
KAZEMNEJAD = (
    "Kazemnejad et al. 2023, [The Impact of Positional Encoding on Length Generalization]"
    "(https://arxiv.org/abs/2305.19466): a comparison like the one on this page, on reasoning tasks."
)
TRANSFORMER = (
    "Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3: encoder, decoder, "
    "embeddings, masks, feed-forward networks."
)
HE = (
    "He et al. 2016, [Deep Residual Learning for Image Recognition](https://arxiv.org/abs/1512.03385): layers that add "
    "to what they were given."
)
BA = "Ba, Kiros and Hinton 2016, [Layer Normalization](https://arxiv.org/abs/1607.06450), section 3."
XIONG = (
    "Xiong et al. 2020, [On Layer Normalization in the Transformer Architecture](https://arxiv.org/abs/2002.04745): "
    "pre-norm and post-norm."
)
GEVA = (
    "Geva et al. 2021, [Transformer Feed-Forward Layers Are Key-Value Memories](https://arxiv.org/abs/2012.14913): "
    "each neuron answers to a pattern and writes a vector."
)
NOSTALGEBRAIST = (
    "nostalgebraist 2020, [interpreting GPT: the logit lens]"
    "(https://www.lesswrong.com/posts/AcKRB8wDpdaN6v6ru/interpreting-gpt-the-logit-lens)."
)
