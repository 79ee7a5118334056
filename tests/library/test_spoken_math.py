"""Formulas in words: as an engineer says them, with a pause where brackets or a root end."""

import pytest

from app.library.spoken_math import formula_words

SAID = (
    (r"\operatorname{softmax}(\q{Q}\k{K}^\top/\sqrt{d_k})\,\v{V}",
     "softmax of Q K transposed over the square root of d k, times V"),
    (r"(\q{Q}/\sqrt{d_k})\,\k{K}^\top", "Q over the square root of d k, times K transposed"),
    (r"\q{q_i}\cdot\k{k_j}", "q i dot k j"),
    (r"\q{q}\cdot\k{k}=\sum_{m=1}^{d_k}\q{q_m}\k{k_m}", "q dot k equals the sum from m equals 1 to d k of q m k m"),
    (r"h\cdot d_v = 16\cdot 256 = 4096", "h times d v equals 16 times 256 equals 4096"),
    (r"n_q\times n_{kv}", "n q by n k v"),
    (r"3\times 10^5", "3 times 10 to the 5"),
    (r"d_{model}\times d_{model}", "d model by d model"),
    (r"e^{-1.6}=0.20", "e to the minus 1.6 equals 0.20"),
    (r"1/(1+0.20)=0.83", "1 over the quantity 1 plus 0.20, equals 0.83"),
    (r"\ln 65{,}504", "the natural log of 65,504"),
    (r"m+\ln\ell=\ln 257\approx 5.549", "m plus the natural log of ell equals the natural log of 257, about 5.549"),
    (r"e^x=2^{x\log_2 e}", "e to the x equals 2 to the x times log base 2 of e"),
    (r"(i,j)", "i, j"),
    (r"\begin{pmatrix}1&3\\3&10\end{pmatrix}", "the matrix with rows 1, 3; 3, 10"),
    (r"x_i\,W^Q W^{K\top}\,x_j^\top", "x i W Q W K transposed x j transposed"),
    (r"W^KA^{-\top}", "W K A inverse transposed"),
    (r"c=xW^{DKV}", "c equals x W D K V"),
    (r"\q{q_i}^\top(\k{W_i^{UK}}c_j)=(\k{W_i^{UK\,\top}}\q{q_i})^\top c_j",
     "q i transposed times W U K i c j, equals W U K i transposed q i, transposed, times c j"),
    (r"O(n^2d)", "order n squared d"),
    (r"\Theta(N^2d^2/M)", "theta of N squared d squared over M"),
    (r"f(PX)=P\,f(X)", "f of P X, equals P f of X"),
    (r"p(1-p)", "p times the quantity 1 minus p"),
    (r"\sqrt{p/((1-p)n)}", "the square root of p over the quantity 1 minus p, times n"),
    (r"\sqrt{n-1}/n\approx 1/\sqrt n", "the square root of n minus 1, over n, about 1 over the square root of n"),
    (r"p=\tfrac12", "p equals one half"),
    (r"\mathbb{E}[\q{q_m}^2]\,\mathbb{E}[\k{k_m}^2]=1",
     "the expectation of q m squared times the expectation of k m squared equals 1"),
    (r"\frac{\partial p_i}{\partial s_j}=p_i(\delta_{ij}-p_j)",
     "partial p i over partial s j equals p i times the quantity delta i j minus p j"),
    (r"J=\tfrac1n I-\tfrac{1}{n^2}\mathbf{1}\mathbf{1}^\top",
     "J equals 1 over n times I minus 1 over n squared times the ones vector times the ones vector transposed"),
    (r"dS=P\circ(dP-D)", "d S equals P elementwise times the quantity d P minus D"),
    (r"c\tanh(s/c)", "c times tanh of s over c"),
    (r"-p\ln p", "minus p times the natural log of p"),
    (r"-\infty-(-\infty)", "minus infinity minus minus infinity"),
    (r"61\cdot(512+64)\cdot 2 = 70{,}272", "61 times the quantity 512 plus 64, times 2 equals 70,272"),
    (r"2\cdot 128\cdot(576+512)/(2\cdot 576)",
     "2 times 128 times the quantity 576 plus 512, over the product 2 times 576"),
    (r"\frac{e^{s_i-m}}{\sum_j e^{s_j-m}}", "e to the s i minus m, over the sum over j of e to the s j minus m"),
    (r"\begin{aligned}m' &= \max(m,\ \max_j s_j)\\ \ell' &= e^{m-m'}\,\ell+\sum_j e^{s_j-m'}\end{aligned}",
     "m prime equals the max of m, the max over j of s j; ell prime equals e to the m minus m prime, times ell plus "
     "the sum over j of e to the s j minus m prime"),
    (r"\begin{aligned}\operatorname{MHA}(X) &= \operatorname{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O"
     r"\end{aligned}", "MHA of X equals Concat of head 1, and so on to head h, times W O"),
    (r"\lfloor i\,g/h\rfloor", "the floor of i g over h"),
    (r"[2^e, 2^{e+1})", "2 to the e, 2 to the e plus 1"),
    (r"d_k^{-1/2}", "d k to the minus 1 over 2"),
    (r"d\le M\le Nd", "d at most M at most N d"),
    (r"n_q\neq n_{kv}", "n q not equal to n k v"),
    (r"o=\sum_i e^{\mathrm{lse}_i-\mathrm{LSE}}\,o_i",
     "o equals the sum over i of e to the l s e i minus capital L S E, times o i"),
)  # fmt: skip

OTHERS = (
    (r"\lVert x\rVert_2", "the norm of x"),
    (r"|x-y|\,z", "the absolute value of x minus y, times z"),
    (r"p(x\mid y)", "p of x given y"),
    (r"\begin{cases}1 & x>0\\0 & y\end{cases}", "1, x greater than 0; 0, y"),
    (r"\sqrt[3]{x+1}\,y", "the cube root of x plus 1, times y"),
    (r"\hat x", "x hat"),
    (r"\binom{n}{2}", "n choose 2"),
    (r"\alpha\,\sigma(x)", "alpha sigma of x"),
    (r"x^*", "x star"),
    (r"p_{i+1}", "p sub i plus 1"),
    (r"1{,}000{,}000", "1,000,000"),
    (r"a\_b\$", "a b"),
    (r"(1+", "1 plus"),
    (r"\nonsense{", "a formula"),
)


@pytest.mark.parametrize(("latex", "words"), [*SAID, *OTHERS])
def test_a_formula_is_said_so(latex: str, words: str) -> None:
    assert formula_words(latex) == words
