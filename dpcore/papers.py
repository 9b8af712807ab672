"""Citations: key -> reference. A docstring that follows a paper names it by its key, ``[balle2018]``."""

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
        "Theoretical Computer Science 9(3-4), 2014."
    ),
    "chaudhuri2011": (
        "K. Chaudhuri, C. Monteleoni, A. D. Sarwate. Differentially Private Empirical Risk Minimization. Journal "
        "of Machine Learning Research 12, 2011; arXiv:0912.0071."
    ),
    "mcsherry2007": "F. McSherry, K. Talwar. Mechanism Design via Differential Privacy. FOCS 2007.",
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
}
