"""Where to read on: each work with what it is good for here."""

# Attention and the transformer: papers on the mechanism, and on what its maps mean.
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
TRANSFORMER = (
    "Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3: encoder, decoder, "
    "embeddings, masks, feed-forward networks."
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

# Before attention: recurrent networks and convolutions.
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

# Positions: how tokens are told their order.
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
    "T5 and its biases, one for each bucket of distances and each head."
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

# Translation: models, alignments and measures.
BAHDANAU = (
    "Bahdanau, Cho and Bengio 2014, [Neural Machine Translation by Jointly Learning to Align and Translate]"
    "(https://arxiv.org/abs/1409.0473): the first attention; figure 3 shows the sentence that stands here at first."
)
SUTSKEVER = (
    "Sutskever, Vinyals and Le 2014, [Sequence to Sequence Learning with Neural Networks]"
    "(https://arxiv.org/abs/1409.3215): the whole sentence in one vector, read backwards."
)
LUONG = (
    "Luong, Pham and Manning 2015, [Effective Approaches to Attention-based Neural Machine Translation]"
    "(https://arxiv.org/abs/1508.04025): scores by a dot product."
)
CHO_ENCODER_DECODER = (
    "Cho et al. 2014, [Learning Phrase Representations using RNN Encoder-Decoder](https://arxiv.org/abs/1406.1078)."
)
WU = (
    "Wu et al. 2016, [Google's Neural Machine Translation System](https://arxiv.org/abs/1609.08144), section 7: beam "
    "search with a length penalty."
)
OCH = (
    "Och and Ney 2003, [A Systematic Comparison of Various Statistical Alignment Models]"
    "(https://aclanthology.org/J03-1002/), section 5.1: sure and possible links, and the alignment error rate."
)
KOEHN = (
    "Koehn and Knowles 2017, [Six Challenges for Neural Machine Translation](https://arxiv.org/abs/1706.03872), "
    "section 3.5: attention is not always an alignment."
)
SERRANO = (
    "Serrano and Smith 2019, [Is Attention Interpretable?](https://arxiv.org/abs/1906.03731): weights set to zero and "
    "shared out again, to see whether the verdict depends on them."
)
KNOCKOUT = (
    "Geva et al. 2023, [Dissecting Recall of Factual Associations in Auto-Regressive Language Models]"
    "(https://arxiv.org/abs/2304.14767), section 5: links cut in all heads of many layers (attention knockout)."
)
MARIAN = (
    "Junczys-Dowmunt et al. 2018, [Marian: Fast Neural Machine Translation in C++](https://arxiv.org/abs/1804.00344), "
    "and Tiedemann and Thottingal 2020, [OPUS-MT](https://aclanthology.org/2020.eamt-1.61/): the more than a thousand "
    "models whose names begin with `Helsinki-NLP/opus-mt`."
)
LEWIS = (
    "Lewis et al. 2020, [BART](https://arxiv.org/abs/1910.13461): an encoder-decoder that learns by restoring damaged "
    "text."
)
T5 = (
    "Raffel et al. 2020, [Exploring the Limits of Transfer Learning](https://arxiv.org/abs/1910.10683): T5, every task "
    "as text to text, told by a prefix."
)
NLLB = (
    "NLLB Team 2022, [No Language Left Behind](https://arxiv.org/abs/2207.04672): one model for two hundred languages."
)
KUDO = (
    "Kudo and Richardson 2018, [SentencePiece](https://arxiv.org/abs/1808.06226): how most of these models cut words "
    "into pieces."
)
PAPINENI = (
    "Papineni et al. 2002, [BLEU: a Method for Automatic Evaluation of Machine Translation]"
    "(https://aclanthology.org/P02-1040/)."
)
POST = (
    "Post 2018, [A Call for Clarity in Reporting BLEU Scores](https://arxiv.org/abs/1804.08771): sacrebleu, and why a "
    "score needs its signature."
)
POPOVIC = (
    "Popović 2015, [chrF: character n-gram F-score for automatic MT evaluation](https://aclanthology.org/W15-3049/)."
)
BROWN = (
    "Brown et al. 1993, [The Mathematics of Statistical Machine Translation](https://aclanthology.org/J93-2003/), "
    "section 4.1: IBM model 1."
)
CHEN = (
    "Chen et al. 2020, [Accurate Word Alignment Induction from Neural Machine Translation]"
    "(https://arxiv.org/abs/2004.14837): the step that has read a word aligns it better than the step that writes it."
)

# Vision: networks that look at pictures, and explanations of what they say.
DOSOVITSKIY = (
    "Dosovitskiy et al. 2020, [An Image is Worth 16x16 Words](https://arxiv.org/abs/2010.11929): "
    "the vision transformer; figures 6 and 7 look at its attention."
)
CARON = (
    "Caron et al. 2021, [Emerging Properties in Self-Supervised Vision Transformers]"
    "(https://arxiv.org/abs/2104.14294): "
    "DINO; figures 1 and 3 show what the class token looks at, figure 4 the places that hold 60 % of that."
)
DARCET = (
    "Darcet et al. 2023, [Vision Transformers Need Registers](https://arxiv.org/abs/2309.16588): "
    "why a few empty patches of sky can draw everybody's attention."
)
HE = (
    "He et al. 2016, [Deep Residual Learning for Image Recognition](https://arxiv.org/abs/1512.03385): layers that add "
    "to what they were given."
)
SWIN_TRANSFORMER = (
    "Liu et al. 2021, [Swin Transformer: Hierarchical Vision Transformer using Shifted Windows]"
    "(https://arxiv.org/abs/2103.14030)."
)
SWIN_V2 = (
    "Liu et al. 2022, [Swin Transformer V2: Scaling Up Capacity and Resolution](https://arxiv.org/abs/2111.09883), "
    "sections 3.2 and 3.3: cosine attention, and biases computed from logarithms of distances."
)
CHEFER = (
    "Chefer, Gur and Wolf 2021, [Generic Attention-model Explainability](https://arxiv.org/abs/2103.15679): "
    "equations 5 and 6, relevance from gradient times attention."
)
SELVARAJU = (
    "Selvaraju et al. 2017, [Grad-CAM](https://arxiv.org/abs/1610.02391), section 3: class activation maps weighted by "
    "gradients, for any convolutional network."
)
PETSIUK = "Petsiuk, Das and Saenko 2018, [RISE](https://arxiv.org/abs/1806.07421): deletion and insertion."
CAPTUM = (
    "Kokhlikyan et al. 2020, [Captum](https://arxiv.org/abs/2009.07896): the library whose LayerGradCam is used here."
)
ZEILER = (
    "Zeiler and Fergus 2014, [Visualizing and Understanding Convolutional Networks](https://arxiv.org/abs/1311.2901), "
    "section 4.2: a grey square is slid over the picture, and what the right class loses is drawn as a map."
)
NASEER = (
    "Naseer et al. 2021, [Intriguing Properties of Vision Transformers](https://arxiv.org/abs/2105.10497): how much of "
    "a picture may be hidden from a vision transformer, and from a convolutional network."
)

# Efficient attention: what may be left out.
BELTAGY = (
    "Beltagy et al. 2020, [Longformer](https://arxiv.org/abs/2004.05150), section 3.1: attention in a sliding window."
)
ZAHEER = (
    "Zaheer et al. 2020, [Big Bird](https://arxiv.org/abs/2007.14062), section 2 and figure 1: window, global and "
    "random links; appendix D: in blocks."
)
LINFORMER = (
    "Wang et al. 2020, [Linformer](https://arxiv.org/abs/2006.04768), equation 7: keys and values projected to a fixed "
    "number."
)
CHOROMANSKI = (
    "Choromanski et al. 2021, [Rethinking Attention with Performers](https://arxiv.org/abs/2009.14794), lemma 1 and "
    "section 2: positive orthogonal random features."
)
VYAS = (
    "Vyas et al. 2020, [Fast Transformers with Clustered Attention](https://arxiv.org/abs/2007.04825), section 3.2: "
    "queries that share a row."
)
DAO = "Dao et al. 2022, [FlashAttention](https://arxiv.org/abs/2205.14135): the exact map, tile by tile in one kernel."
MASKED = (
    "Devlin et al. 2018, [BERT](https://arxiv.org/abs/1810.04805), section 3.1: hidden tokens are filled in from "
    "both sides."
)

# Scale: laws, published tables and what training costs.
KAPLAN = (
    "Kaplan et al. 2020, [Scaling Laws for Neural Language Models](https://arxiv.org/abs/2001.08361): powers of size, "
    "data and compute."
)
HENIGHAN = (
    "Henighan et al. 2020, [Scaling Laws for Autoregressive Generative Modeling](https://arxiv.org/abs/2010.14701): "
    "with an irreducible loss."
)
HOFFMANN = (
    "Hoffmann et al. 2022, [Training Compute-Optimal Large Language Models](https://arxiv.org/abs/2203.15556), section "
    "3.3: the law of Chinchilla."
)
BESIROGLU = (
    "Besiroglu et al. 2024, [Chinchilla Scaling: A replication attempt](https://arxiv.org/abs/2404.10102): the same "
    "points, fitted again."
)
BIDERMAN = (
    "Biderman et al. 2023, [Pythia](https://arxiv.org/abs/2304.01373): models of eight sizes, with all of their "
    "checkpoints."
)
RAJBHANDARI = (
    "Rajbhandari et al. 2020, [ZeRO](https://arxiv.org/abs/1910.02054), section 3.1: the memory that training needs."
)
KORTHIKANTI = (
    "Korthikanti et al. 2022, [Reducing Activation Recomputation in Large Transformer Models]"
    "(https://arxiv.org/abs/2205.05198), section 4: what a layer leaves for the backward pass."
)
CHOWDHERY = (
    "Chowdhery et al. 2022, [PaLM](https://arxiv.org/abs/2204.02311), section 4.1: how much of a device's peak a "
    "training uses."
)
KRIZHEVSKY = (
    "Krizhevsky 2009, [Learning Multiple Layers of Features from Tiny Images]"
    "(https://www.cs.toronto.edu/~kriz/learning-features-2009-TR.pdf): CIFAR-10."
)
WIGHTMAN = (
    "Wightman 2019, [PyTorch Image Models](https://github.com/huggingface/pytorch-image-models), folder `results`: "
    "every accuracy and speed of the first table here (Apache-2.0)."
)
CONVNEXT = (
    "Liu et al. 2022, [A ConvNet for the 2020s](https://arxiv.org/abs/2201.03545): a convolutional network trained "
    "like a transformer."
)
RECHT = (
    "Recht et al. 2019, [Do ImageNet Classifiers Generalize to ImageNet?](https://arxiv.org/abs/1902.10811): "
    "ImageNet-V2, new pictures gathered as the old ones were."
)
BEYER = (
    "Beyer et al. 2020, [Are we done with ImageNet?](https://arxiv.org/abs/2006.07159): ReaL, the validation "
    "pictures with labels given anew."
)
KOLESNIKOV = (
    "Kolesnikov et al. 2019, [Big Transfer](https://arxiv.org/abs/1912.11370): BiT, the convolutional rival of the "
    "vision transformer."
)
XIE = (
    "Xie et al. 2019, [Self-training with Noisy Student](https://arxiv.org/abs/1911.04252): 300 million pictures "
    "without labels."
)
STEINER = (
    "Steiner et al. 2021, [How to train your ViT?](https://arxiv.org/abs/2106.10270): what data, augmentation and "
    "regularisation are worth for vision transformers."
)
WANG_GLUE = (
    "Wang et al. 2018, [GLUE](https://arxiv.org/abs/1804.07461): nine tasks of understanding language, and their mean."
)
NANGIA = (
    "Nangia and Bowman 2019, [Human vs. Muppet](https://arxiv.org/abs/1905.10425): how people were asked to do the "
    "tasks of GLUE after a short training, a conservative estimate of what people can."
)
DEVLIN = "Devlin et al. 2018, [BERT](https://arxiv.org/abs/1810.04805): one pre-trained encoder for all of these tasks."
GPT3 = "Brown et al. 2020, [Language Models are Few-Shot Learners](https://arxiv.org/abs/2005.14165): GPT-3."
SEVILLA = (
    "Sevilla et al. 2022, [Compute Trends Across Three Eras of Machine "
    "Learning](https://arxiv.org/abs/2202.05924): how fast training compute grew, and where the trend changed."
)
EPOCH = (
    "Epoch AI, [Data on Notable AI Models](https://epoch.ai/data/notable-ai-models), May 2025 (CC BY 4.0): every "
    "row of this table, with its own link."
)
