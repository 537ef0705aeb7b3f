"""Efficient attention: what may be left out."""

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
