"""The measures of a head: their names, formulas and units."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A measure by its name, with its formula in LaTeX and its unit."""

    name: str
    formula: str
    unit: str = "of the attention"

    @property
    def share(self) -> bool:
        """Whether it lies between 0 and 1, and is written in percent."""
        return self.unit.startswith("of ")

    def value(self, value: float) -> str:
        """A number with its unit."""
        return f"{value:.0%}" if self.share else f"{value:.2f} {self.unit}"


# By the name of the function in `core.heads.measures` or `core.heads.head_table`; the order is that of the page.
MEASURES = {
    "entropy": Measure(name="Entropy", unit="bits", formula=r"\frac{1}{n}\sum_i\Big(-\sum_j A_{ij}\log_2 A_{ij}\Big)"),
    "mean_distance": Measure(name="Distance", unit="tokens", formula=r"\frac{1}{n}\sum_i\sum_j A_{ij}\,|i-j|"),
    "mean_distance_in_plane": Measure(
        name="Distance",
        unit="patches",
        formula=r"\frac{1}{n}\sum_i\frac{\sum_j A_{ij}\,\lVert x_i-x_j\rVert}{\sum_j A_{ij}}",
    ),
    "previous_token": Measure(name="Previous token", formula=r"\frac{1}{n-1}\sum_{i>1} A_{i,\,i-1}"),
    "same_token": Measure(name="Same token", formula=r"\frac{1}{n}\sum_i A_{ii}"),
    "first_token": Measure(name="First token", formula=r"\frac{1}{n-1}\sum_{i>1} A_{i1}"),
    "class_token": Measure(
        name="Class token", formula=r"\frac{1}{n}\sum_{i\,\in\,\mathrm{patches}} A_{i,\,\mathrm{class}}"
    ),
    "punctuation": Measure(name="Punctuation", formula=r"\frac{1}{n}\sum_i\sum_{j\,\in\,P} A_{ij}"),
    "induction": Measure(name="Induction", formula=r"\frac{1}{p}\sum_{i=p+1}^{2p} A_{i,\,i-p+1}"),
    "output_shares": Measure(
        name="Share of the output",
        unit="of the norm",
        formula=r"\frac{1}{n}\sum_i\frac{\lVert\mathrm{head}_h(i)\,W_O^h\rVert}"
        r"{\sum_{h'}\lVert\mathrm{head}_{h'}(i)\,W_O^{h'}\rVert}",
    ),
}
