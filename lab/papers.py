"""Citations: key -> reference. A docstring that follows a paper names it by its key, ``[balle2018]``; so do texts."""

import re

PAPERS = {
    "hoseinpour2023": (
        "M. Hoseinpour, M. Hoseinpour, A. Aghagolzadeh. Accuracy Improvement in Differentially Private Logistic "
        "Regression: A Pre-training Approach. ICAIFT 2023 (slides); arXiv:2307.13771."
    ),
    "abadi2016": (
        "M. Abadi, A. Chu, I. Goodfellow, H. B. McMahan, I. Mironov, K. Talwar, L. Zhang. Deep Learning with "
        "Differential Privacy. CCS 2016; arXiv:1607.00133."
    ),
    "balle2018": (
        "B. Balle, Y.-X. Wang. Improving the Gaussian Mechanism for Differential Privacy: Analytical Calibration "
        "and Optimal Denoising. ICML 2018; arXiv:1805.06530."
    ),
    "dong2022": (
        "J. Dong, A. Roth, W. J. Su. Gaussian Differential Privacy. Journal of the Royal Statistical Society B "
        "84(1), 2022; arXiv:1905.02383."
    ),
    "dwork2014": (
        "C. Dwork, A. Roth. The Algorithmic Foundations of Differential Privacy. Foundations and Trends in "
        "Theoretical Computer Science 9(3-4), 2014; doi:10.1561/0400000042."
    ),
    "chaudhuri2011": (
        "K. Chaudhuri, C. Monteleoni, A. D. Sarwate. Differentially Private Empirical Risk Minimization. Journal "
        "of Machine Learning Research 12, 2011; arXiv:0912.0071."
    ),
    "mcsherry2007": (
        "F. McSherry, K. Talwar. Mechanism Design via Differential Privacy. FOCS 2007; doi:10.1109/FOCS.2007.66."
    ),
    "mironov2012": ("I. Mironov. On Significance of the Least Significant Bits for Differential Privacy. CCS 2012."),
    "kairouz2015": (
        "P. Kairouz, S. Oh, P. Viswanath. The Composition Theorem for Differential Privacy. ICML 2015; arXiv:1311.0776."
    ),
    "clopper1934": (
        "C. J. Clopper, E. S. Pearson. The Use of Confidence or Fiducial Limits Illustrated in the Case of the "
        "Binomial. Biometrika 26(4), 1934."
    ),
    "mironov2017": "I. Mironov. Rényi Differential Privacy. CSF 2017; arXiv:1702.07476.",
    "mironov2019": (
        "I. Mironov, K. Talwar, L. Zhang. Rényi Differential Privacy of the Sampled Gaussian Mechanism. 2019; "
        "arXiv:1908.10530."
    ),
    "balle2020": (
        "B. Balle, G. Barthe, M. Gaboardi, J. Hsu, T. Sato. Hypothesis Testing Interpretations and Rényi Differential "
        "Privacy. AISTATS 2020; arXiv:1905.09982."
    ),
    "canonne2020": (
        "C. L. Canonne, G. Kamath, T. Steinke. The Discrete Gaussian for Differential Privacy. NeurIPS 2020; "
        "arXiv:2004.00010."
    ),
    "li2012": (
        "N. Li, W. Qardaji, D. Su. On Sampling, Anonymization, and Differential Privacy: Or, k-Anonymization Meets "
        "Differential Privacy. ASIACCS 2012; arXiv:1101.2604."
    ),
    "zhu2022": (
        "Y. Zhu, J. Dong, Y.-X. Wang. Optimal Accounting of Differential Privacy via Characteristic Function. "
        "AISTATS 2022; arXiv:2106.08567."
    ),
    "doroshenko2022": (
        "V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi. Connect the Dots: Tighter Discrete "
        "Approximations of Privacy Loss Distributions. PoPETs 2022(4); arXiv:2207.04380."
    ),
    "talwar2015": (
        "K. Talwar, A. Thakurta, L. Zhang. Nearly-Optimal Private LASSO. NeurIPS 2015; arXiv:1411.5417 (Private "
        "Empirical Risk Minimization Beyond the Worst Case)."
    ),
    "bun2016": (
        "M. Bun, T. Steinke. Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds. TCC "
        "2016; arXiv:1605.02065."
    ),
    "durfee2019": (
        "D. Durfee, R. Rogers. Practical Differentially Private Top-k Selection with Pay-what-you-get Composition. "
        "NeurIPS 2019; arXiv:1905.04273."
    ),
    "cesar2021": (
        "M. Cesar, R. Rogers. Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition for Data "
        "Analytics. ALT 2021; arXiv:2004.07223."
    ),
    "li2022": (
        "S. Li, T. T. Cai, H. Li. Transfer Learning for High-Dimensional Linear Regression: Prediction, Estimation and "
        "Minimax Optimality. Journal of the Royal Statistical Society B 84(1), 2022; arXiv:2006.10593."
    ),
    "tian2023": (
        "Y. Tian, Y. Feng. Transfer Learning Under High-Dimensional Generalized Linear Models. Journal of the American "
        "Statistical Association 118(544), 2023; arXiv:2105.14328."
    ),
    "jiang2018": "C. Jiang. Deep Learning with Differential Privacy. Student report, 2018.",
    "zhang2012": (
        "J. Zhang, Z. Zhang, X. Xiao, Y. Yang, M. Winslett. Functional Mechanism: Regression Analysis under "
        "Differential Privacy. PVLDB 5(11), 2012; arXiv:1208.0219."
    ),
    "wang2018": (
        "Y.-X. Wang. Revisiting Differentially Private Linear Regression: Optimal and Adaptive Prediction and "
        "Estimation in Unbounded Domain. UAI 2018; arXiv:1803.02596."
    ),
    "glorot2010": (
        "X. Glorot, Y. Bengio. Understanding the Difficulty of Training Deep Feedforward Neural Networks. AISTATS 2010."
    ),
    "zhang2022": ("Z. Zhang, Y. Song. Transfer learning for regression under differential privacy. Slides, 2022."),
    "wang2019": (
        "Y. Wang, Q. Gu, D. Brown. Differentially Private Hypothesis Transfer Learning. ECML-PKDD 2018; Lecture Notes "
        "in Computer Science 11052, 2019; doi:10.1007/978-3-030-10928-8_48."
    ),
    "ji2013": (
        "Z. Ji, C. Elkan. Differential Privacy Based on Importance Weighting. Machine Learning 93(1), 2013; "
        "doi:10.1007/s10994-013-5396-x."
    ),
    "marx2005": (
        "Z. Marx, M. T. Rosenstein, L. P. Kaelbling, T. G. Dietterich. Transfer Learning with an Ensemble of "
        "Background Tasks. NIPS workshop on inductive transfer, 2005."
    ),
    "kifer2012": (
        "D. Kifer, A. Smith, A. Thakurta. Private Convex Empirical Risk Minimization and High-dimensional Regression. "
        "COLT 2012."
    ),
    "hamm2016": "J. Hamm, Y. Cao, M. Belkin. Learning Privately from Multiparty Data. ICML 2016; arXiv:1602.03552.",
    "pathak2010": (
        "M. Pathak, S. Rane, B. Raj. Multiparty Differential Privacy via Aggregation of Locally Trained Classifiers. "
        "NIPS 2010."
    ),
    "papernot2018": (
        "N. Papernot, S. Song, I. Mironov, A. Raghunathan, K. Talwar, Ú. Erlingsson. Scalable Private Learning with "
        "PATE. ICLR 2018; arXiv:1802.08908."
    ),
    "steinke2023": (
        "T. Steinke, M. Nasr, M. Jagielski. Privacy Auditing with One (1) Training Run. NeurIPS 2023; arXiv:2305.08846."
    ),
    "yeom2018": (
        "S. Yeom, I. Giacomelli, M. Fredrikson, S. Jha. Privacy Risk in Machine Learning: Analyzing the Connection to "
        "Overfitting. CSF 2018; arXiv:1709.01604."
    ),
    "carlini2022": (
        "N. Carlini, S. Chien, M. Nasr, S. Song, A. Terzis, F. Tramèr. Membership Inference Attacks From First "
        "Principles. IEEE S&P 2022; arXiv:2112.03570."
    ),
    "fredrikson2015": (
        "M. Fredrikson, S. Jha, T. Ristenpart. Model Inversion Attacks that Exploit Confidence Information and Basic "
        "Countermeasures. CCS 2015."
    ),
    "papernot2022": (
        "N. Papernot, T. Steinke. Hyperparameter Tuning with Renyi Differential Privacy. ICLR 2022; arXiv:2110.03620."
    ),
    "ligett2017": (
        "K. Ligett, S. Neel, A. Roth, B. Waggoner, Z. S. Wu. Accuracy First: Selecting a Differential Privacy Level "
        "for Accuracy-Constrained ERM. NeurIPS 2017; arXiv:1705.10829."
    ),
    "kairouz2021": (
        "P. Kairouz, B. McMahan, S. Song, O. Thakkar, A. Thakurta, Z. Xu. Practical and Private (Deep) Learning "
        "without Sampling or Shuffling. ICML 2021; arXiv:2103.00039."
    ),
    "ghazi2025": (
        "B. Ghazi, P. Kamath, A. Knop, R. Kumar, P. Manurangsi, C. Zhang. Private Hyperparameter Tuning with Ex-Post "
        "Guarantee. NeurIPS 2025; arXiv:2508.15183."
    ),
}

_KEY = re.compile(r"\[([a-z]+(?:19|20)\d\d)\](?!\()")
_AUTHOR = re.compile(r"(?:\w\.[ -]?)+ ?([^,.]+)(?:, |\. )")
_PLACES = (
    (re.compile(r"arXiv:(\d{4}\.\d{4,5})"), "https://arxiv.org/abs/{}"),
    (re.compile(r"doi:(10\.\S+\w)"), "https://doi.org/{}"),
)


def short(key: str) -> str:
    """A reference as it stands in a sentence. Raises KeyError where there is none.

    >>> short("dong2022"), short("mironov2017"), short("abadi2016"), short("balle2018")
    ('Dong, Roth and Su 2022', 'Mironov 2017', 'Abadi et al. 2016', 'Balle and Wang 2018')
    """
    people, at = [], 0
    while found := _AUTHOR.match(PAPERS[key], at):
        people.append(found[1])
        at = found.end()
    if len(people) > 3:
        people = [f"{people[0]} et al."]
    return f"{' and '.join(filter(None, (', '.join(people[:-1]), people[-1])))} {key[-4:]}"


def cited(text: str) -> str:
    """Markdown with its keys as links in words, and the references that it names as a list at the end.

    Raises KeyError for a key of no reference.
    """
    keys = dict.fromkeys(_KEY.findall(text))
    sources = "\n".join(f"- {reference(key)}" for key in keys)
    return _KEY.sub(lambda found: named(found[1]), text) + (f"\n\n**Sources**\n\n{sources}" if keys else "")


def named(key: str) -> str:
    """The reference in short, as a link (markdown) where it is known where to read it."""
    place = next((form.format(found[1]) for where, form in _PLACES if (found := where.search(PAPERS[key]))), "")
    return f"[{short(key)}]({place})" if place else short(key)


def reference(key: str) -> str:
    """The whole reference (markdown), whose address can be clicked."""
    found = PAPERS[key]
    for where, form in _PLACES:
        found = where.sub(lambda match, form=form: f"[{match[0]}]({form.format(match[1])})", found)
    return found
