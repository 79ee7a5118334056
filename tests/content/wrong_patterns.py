"""The wrong and misleading sentences about attention that circulate, each as a pattern that finds it where it is told.

The claims are those of the fact check: 15 wrong, 14 misleading, and some more that hold with a condition only. They may
stand in `wrong:` and `doubt:` lines; nowhere else may a card or a page say one of them.
"""

import re
from dataclasses import dataclass

DENIED = r"\b(not|never|no|neither|nor|cannot|wrong|mistake|myth|bug)\b|n['’]t\b"
"""A sentence with one of these rather corrects the claim than makes it."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One claim: what finds it within a sentence, what excuses the sentence, three ways to say it and a right one."""

    claim: str
    name: str
    regex: str
    wrong: tuple[str, str, str]
    right: str
    unless: str = DENIED

    def found(self, text: str) -> str:
        """The first sentence of `text` that makes the claim, or nothing."""
        for sentence in sentences(text):
            if re.search(self.regex, sentence, re.I) and not re.search(self.unless, sentence, re.I):
                return sentence
        return ""


def sentences(text: str) -> list[str]:
    """The sentences of a Markdown text, without its marks; a line of code or a cell of a table is one, too."""
    text = re.sub(r"\{\{c\d+::|\}\}|[*`$]", "", text)
    text = (
        text.replace("et al.", "et al")
        .replace("e.g.", "for example")
        .replace("i.e.", "that is")
        .replace("−", "-")
    )
    text = re.sub(r"(?<![\n:;.?!|])\n(?!\n)", " ", text)
    parts = re.split(r"(?<=[.?!;])[”\"']?\s+|\n+|\s\|\s", text)
    return [" ".join(part.split()) for part in parts if part.strip()]


FLASH = r"flash[- ]?attention(?:-\d)?"
BOUND = r"(memory|bandwidth|memory[- ]bandwidth)[- ](bound|limited)"

WRONG = (
    Pattern(
        "A16",
        "the softmax is the average",
        r"soft-?max (is|computes|takes|forms|returns|gives) (just |only |simply |nothing but )?(a|the) "
        r"weighted (average|mean|sum)|soft-?max averages\b",
        (
            "Softmax is a weighted average.",
            "The softmax computes the weighted mean of the values.",
            "In attention the softmax returns a weighted sum.",
        ),
        "The softmax makes the weights; the weighted average is what they and the values give.",
    ),
    Pattern(
        "A26",
        "the 4 x 4 example with its misprints",
        r"0\.41\D{1,12}0\.51|0\.14\D{1,12}0\.31|0\.31\D{1,12}0\.49|\bsat\b\D{0,30}0\.51|"
        r"\bdown\b\D{0,30}0\.49(?!\d)",
        (
            "The third row is 0.08, 0.41, 0.51.",
            "“down” has the weights 0.06, 0.14, 0.31 and 0.49.",
            "“sat” gives itself 0.51.",
        ),
        "The third row is 0.083, 0.413, 0.504, and “down” has 0.061, 0.136, 0.303, 0.500.",
    ),
    Pattern(
        "A30",
        "Llama's 70B models share 4 to 1",
        r"llama[- ]?[23](\.\d)?[- ]?\(?70b\)?((?!8b|\b8|eight)[^.;])*(\b4:1|\b4 to 1|\bfour to one|"
        r"\b32 on 8|\b32:8|(four|4) times smaller|4x|\bfour query heads (share|a|per)\b)|"
        r"\b4:1 (is |was )?(used )?(in|by|for) [^.;,]*70b",
        (
            "Llama-2-70B shares 4 to 1.",
            "In LLaMA-2 (70B) the cache is 4x smaller.",
            "Llama-3-70B has 32 on 8 heads.",
        ),
        "Llama-2-70B has 64 query heads on 8, 8 to 1; Llama-3-8B shares 4 to 1.",
    ),
    Pattern(
        "A31",
        "Falcon is multi-query as a family",
        r"\bfalcon\b(?![- ]?7b)[^.;]*(multi-query|\bmqa\b)|(multi-query|"
        r"\bmqa\b)[^.;()]{0,40}\bfalcon\b(?![- ]?(7b|40b|180b))|\bfalcon[- ]?(40b|180b)\b[^.;]*"
        r"\b(one|1|a single) (key/value|key-value|kv) head\b",
        (
            "PaLM and Falcon are MQA.",
            "MQA is used in PaLM, Falcon and early Gemini.",
            "Falcon-40B is a multi-query model.",
        ),
        "Falcon-7B is multi-query; Falcon-40B and 180B keep 8 key/value heads, which makes them grouped.",
        DENIED + r"|gqa|grouped|8 key",
    ),
    Pattern(
        "B7",
        "attention is memory-bound, whatever the kernel",
        rf"\battention( kernels?)?( on [^.;,]{{1,20}})? (is|are) (always |just |still |simply |mostly |"
        rf"basically )?({BOUND}|limited by (memory )?bandwidth)",
        (
            "On a GPU, attention is memory-bound.",
            "Attention is always bandwidth-bound.",
            "Remember that attention is memory-bandwidth bound on real hardware.",
        ),
        "Unfused attention is memory-bound, and so is most decoding; fused prefill is compute-bound.",
        DENIED + r"|decod|unfused|naive|plain|standard|\b(when|where|whether|if)\b",
    ),
    Pattern(
        "B8",
        "fused and plain attention give the same bits",
        rf"({FLASH}|fused|(its|the) output|kernels?)[^.;?]*(bit[- ]for[- ]bit|bit[- ](identical|"
        rf"exact)|bitwise|(?<!other )same bits as|exactly the same bits)",
        (
            "FlashAttention is bit-for-bit equivalent to plain attention.",
            "Its output is bit-identical.",
            "A fused kernel returns the same bits as the formula.",
        ),
        "FlashAttention is exact, and not bit-for-bit the same as plain attention.",
        DENIED + r"|rather than|^(is|are|does|do)\b.*\?|deterministic|called (again|twice)|each time",
    ),
    Pattern(
        "B13",
        "each token scores itself highest",
        r"\btokens? (always|necessarily|would|must)\b[^.;?]*((maximally|the most|most|highest|"
        r"best) (to |at )?itself|(itself|themselves) (maximally|the most|most|highest|best))|\b(every|each) "
        r"token (attends?|scores?)[^.;?]*\b((maximally|most|highest|best) (to )?itself|itself (maximally|"
        r"the most|most|highest|best))|\bown score is (always )?(the )?(largest|highest|greatest)",
        (
            "Every token would attend maximally to itself.",
            "Without projections a token always scores itself highest.",
            "With raw dot products, each token must attend most to itself.",
        ),
        "With equal norms a token scores itself highest; with X = [[1, 0], [3, 1]] the first prefers the second.",
        DENIED + r"|norm|equal length|same length",
    ),
    Pattern(
        "B36",
        "models have 8 to 32 heads",
        r"\b(8|eight)( to |-|–)(32|thirty-two) (query |attention )?heads|\bbetween (8|eight) and (32|"
        r"thirty-two) heads|\bhead counts? (is|are|of) (8|eight)( to |-|–)(32|thirty-two)",
        (
            "Typical models have 8 to 32 heads.",
            "Typical configs: 8–32 heads, head size 64–128.",
            "Today eight to thirty-two heads are usual.",
        ),
        "The 70B Llamas have 64 heads, Llama-3.1-405B 128 and Falcon-180B 232.",
        DENIED + r"|ablation|bleu|\bnone\b",
    ),
    Pattern(
        "B42",
        "the FLOPs are what FlashAttention changes",
        rf"naive attention[^.;]*(does not|doesn.t|keeps|leaves)[^.;]*flop|{FLASH}[^.;]*"
        rf"\b(lowers|reduces|cuts|saves|fewer|less|halves)\b[^.;]*\b(flops?|arithmetic|"
        rf"operations|compute)\b",
        (
            "Naive attention does not change the asymptotic FLOPs; it changes the traffic.",
            "FlashAttention reduces the FLOPs of attention.",
            "FlashAttention is faster because it does fewer operations.",
        ),
        "FlashAttention does the same FLOPs forward and some more backward; memory traffic is what changes.",
        r"\b(flash\w*|it|which|and)( does| do|,)? not\b|\bno fewer\b|\bsame\b|skip|causal|"
        r"mask|\bwrong\b|\bmore\b|\?|at least|n['’]t (reduce|lower|save|do)|bytes|memory "
        r"traffic|not arithmetic|not flop",
    ),
    Pattern(
        "B44",
        "triu(1) for any lengths",
        r"triu\(1\)[^.;]*\b(any|all|whatever|every) (lengths?|shapes?|sizes?|n_q)|n_q (!=|≠) n_kv[^.;]*"
        r"triu\(1\)[^.;]*\b(works|holds|right|correct|enough)\b|triu\(1\)[^.;]*"
        r"\b(cache|decod\w*|chunks?)\b|\bones\([^)]*n_q, n_kv[^)]*\)\.triu\(1\)",
        (
            "triu(1) works for any lengths.",
            "With a cache, `triu(1)` is right as well: triu(1) fits a cache.",
            "`hide = torch.ones(n_q, n_kv, dtype=torch.bool).triu(1)`",
        ),
        "triu(1) is right where n_q = n_kv; with a cache of keys it takes triu(n_kv - n_q + 1).",
        DENIED + r"|\bonly\b|n_q ?= ?n_kv|square|n_kv - n_q|top[- ]left",
    ),
    Pattern(
        "B51",
        "bandwidth and not arithmetic is the limit, full stop",
        rf"{BOUND},? ((and )?not|rather than|instead of) (flop|compute|arithmetic)",
        (
            "The core production fact: attention is memory-bandwidth bound, not FLOP bound.",
            "Attention kernels are bandwidth-bound and not compute-bound.",
            "On modern GPUs it is memory-bound, not compute-bound.",
        ),
        "Unfused attention and most decoding are bandwidth-bound, not compute-bound; fused prefill is the reverse.",
        r"unfused|decod|plain|naive|standard|small batch|one token|element-?wise|softmax|norm",
    ),
    Pattern(
        "B56",
        "FlashAttention's traffic is linear",
        r"(traffic|access\w*|hbm reads|reads and writes|reads/writes|bytes moved)"
        r"[^.;]*(\blinear|\bO\([nN](\s*[·*]?\s*d)?\))",
        (
            "Its traffic becomes linear in the length.",
            "HBM accesses drop from O(n^2 + nd) to O(nd).",
            "Reads and writes fall to O(N).",
        ),
        "Accesses fall to N^2 d^2 / M, still quadratic; it is the extra memory that is linear.",
        DENIED
        + r"|quadratic|extra memory|decod|cache|only (if|when|where|at)"
        + r"|\bideal|\bceiling|at the extreme|each (tensor|of q)",
    ),
    Pattern(
        "B81",
        "a link to the paper that leads nowhere",
        r"3f5ee243-7b1b",
        (
            "papers.nips.cc/paper/2017/file/3f5ee243-7b1b-4501-ba6c-0ff5015a3da0-Paper.pdf",
            "The file is 3f5ee243-7b1b-4501-ba6c-0ff5015a3da0.",
            "See 3f5ee243-7b1b in the proceedings.",
        ),
        "papers.nips.cc/paper/2017/file/3f5ee243547dee91fbd053c1c4a845aa-Paper.pdf",
    ),
    Pattern(
        "B82",
        "FlashAttention-3 by Dao et al.",
        r"\bdao (et al|and others),? ?\(?2024[^;]{0,40}flash[- ]?attention-?3|flash[- "
        r"]?attention-?3,? ?(is |was )?\(?(by |written by )?dao\b|\bdao (is|was) the first author of "
        r"flash[- ]?attention-?3",
        (
            "Dao et al., 2024: FlashAttention-3",
            "FlashAttention-3 (Dao et al. 2024) added FP8.",
            "FlashAttention-3 is by Dao and others.",
        ),
        "FlashAttention-3 is by Shah et al. 2024; Dao is its last author.",
    ),
    Pattern(
        "B85",
        "attention is permutation-invariant",
        r"\battention\b[^.;]*\b(is|are) (permutation[- ]|order[- ])?invariant",
        (
            "Self-attention is permutation-invariant.",
            "Attention by itself is invariant to the order of the tokens.",
            "Without positions, attention is permutation invariant.",
        ),
        "Self-attention without a mask is permutation-equivariant, not invariant.",
        DENIED + r"|equivariant|in the set of|set of keys|for one query|for a fixed query",
    ),
)

MISLEADING = (
    Pattern(
        "A3",
        "each head has one clean job",
        r"\bone head (does|tracks|handles|follows|looks after|is for)\b[^.;]{0,40}(,| and) (and "
        r")?(another|one)\b|\b(each|every) head (has|does|learns) (exactly )?one (clean |clear )?(job|"
        r"role|task)",
        (
            "One head tracks pronouns, another verb tense, another punctuation.",
            "One head handles syntax, and another coreference.",
            "Each head has one clear role.",
        ),
        "Heads can learn different patterns; few have a role that one could name, and many can be pruned.",
        DENIED + r"|\bfew\b|illustration|\bcould\b|\bmight\b",
    ),
    Pattern(
        "A14",
        "heads are slices of the input",
        r"(splits?|cuts?|divides?) (the )?(input|token|embedding|hidden state|residual stream|"
        r"d_\{?(?:\\text\{)?model\}?\}?)\b[^.;]* (heads|slices|parts|pieces)|\b(each|every|a|"
        r"one) head (sees|reads|gets|receives|works on|looks at) (only )?(its|a|one|another)( "
        r"own)? (slice|part|piece|share) of (the )?(input|token|vector|embedding|x\b|hidden|"
        r"d_)|\b(input|token|embedding|hidden state|d_model) (is|are) (split|cut|divided) "
        r"(into|among|between) (\w+ )?(heads|slices|parts)",
        (
            "MHA splits d_model into h heads of size d_model/h.",
            "Each head sees only its own slice of the input.",
            "It cuts the embedding into parts, and every head gets a part of the vector.",
        ),
        "Each head projects the whole vector; only what it returns is a slice of d_model numbers.",
        DENIED + r"|after the projection|projected|projection’s output",
    ),
    Pattern(
        "A33",
        "a mask buffer costs nothing",
        r"(mask[^.;]*\bbuffer|\bbuffer[^.;]*mask)[^.;]*(costs? (next to |almost )?nothing|"
        r"\bfree\b|\bcheap\b|harmless)",
        (
            "Register the mask as a max_len by max_len buffer; as a buffer the mask costs nothing.",
            "A registered mask buffer is cheap.",
            "Keep the causal mask in a buffer of each layer, which is free.",
        ),
        "A mask buffer of 131,072 by 131,072 takes 64 GiB in fp32; compare positions instead, which costs nothing.",
        DENIED + r"|positions instead|without|gib|mib",
    ),
    Pattern(
        "A37",
        "sequential path length",
        r"sequential path[- ]length",
        (
            "It routes information in O(1) sequential path length.",
            "Attention has a constant sequential path length.",
            "Its sequential path-length is a single step.",
        ),
        "A layer takes O(1) sequential operations, and its maximum path length is O(1).",
    ),
    Pattern(
        "A44",
        "multi-head attention splits into subspaces",
        r"(splits?|cuts?|divides?)\b[^.;]*\b(in|into)\b[^.;]*\bsubspaces",
        (
            "Multi-head attention splits into h subspaces of size d_model/h.",
            "It cuts the width into parallel subspaces.",
            "MHA divides the model in h smaller subspaces.",
        ),
        "Each head projects the whole vector into a subspace; the results are concatenated and mixed by W^O.",
    ),
    Pattern(
        "B12",
        "symmetric scores make symmetric weights",
        r"\b(weights|attention matrix|attention pattern) (is|are|become|becomes|must be|stay|"
        r"stays) (then |also |therefore |forced to be )?symmetric|\bforced (to be )?equal|how much (i|one|a) reads (j|"
        r"the other|b)[^.;]*(equal|the same)|\bmakes? (the |its )?(attention )?weights symmetric",
        (
            "With one projection the weights become symmetric.",
            "Then how much i reads j is forced to equal how much j reads i.",
            "If queries equal keys, the attention matrix is symmetric.",
        ),
        "With one projection the scores are symmetric; the weights are not, since each row has its own sum.",
    ),
    Pattern(
        "B18",
        "one property is the whole reason",
        r"\b(whole|only|sole|entire) reason\b[^.;]*\b(attention|expressive|transformers?|works?)\b",
        (
            "That decoupling is the whole reason attention is expressive.",
            "Keys apart from values are the sole reason why attention works.",
            "Separate values are the only reason transformers can do this.",
        ),
        "That key and value are apart is one reason, beside asymmetric scores, several heads and the MLP.",
    ),
    Pattern(
        "B26",
        "variance normalisation, full stop",
        r"variance normali[sz]ation,? (full stop|period|and (that is all|nothing (else|"
        r"more)))|(nothing but|(is|it['’]s) (just|only|purely|simply|merely)) variance normali[sz]ation",
        (
            "It is variance normalisation, full stop.",
            "The root is nothing but variance normalization.",
            "Dividing is variance normalisation and nothing else.",
        ),
        "Variance normalisation is the standard reason, under assumptions; T5 and muP do otherwise.",
        DENIED + r"|initiali",
    ),
    Pattern(
        "B41",
        "position interpolation is about the quadratic cost",
        r"(rope scaling|scaling rope|position(al)? interpolation|interpolat\w+ "
        r"positions)[^.;]*(quadratic|n\^2|n²|n squared|cheap|\bcosts?\b|flops)",
        (
            "Positional interpolation exists because of the n^2 wall.",
            "RoPE scaling makes the quadratic work bearable.",
            "Position interpolation lowers the cost of long context.",
        ),
        "Position interpolation is about positions never seen in training; attention stays quadratic.",
        DENIED + r"|stays?|remains?|still|unchanged|as it was|as many|fine-?tun|\?",
    ),
    Pattern(
        "B48",
        "agreement at 1e-5 proves a kernel",
        r"(1e-5|10\^\{?-5\}?)[^.;]*\b(proves?|shows?|confirms?|verif\w+|enough|suffic\w+|the "
        r"right tolerance|is (right|correct))",
        (
            "allclose at 1e-5 proves that FlashAttention equals plain attention.",
            "atol=1e-5 is enough to test a fused kernel.",
            "Agreement with SDPA at 1e-5 shows that the kernel is right.",
        ),
        "atol=1e-5 is enough in fp32 only; in bf16 a perfect kernel fails it.",
        DENIED + r"|fp32|float32|\bonly\b|fails",
    ),
    Pattern(
        "B53",
        "HBM is 10 to 20 times slower",
        r"\b(10|ten)( to |-|–)(20|twenty) ?(x|×|times)[^.;]*(slower|faster|hbm|sram)",
        (
            "HBM is 10 to 20 times slower than SRAM.",
            "On-chip memory is ten to twenty times faster.",
            "HBM is ~10–20× slower than on-chip SRAM.",
        ),
        "HBM is roughly 10 times slower than on-chip memory: 9.3 on H100, 9.5 to 12.7 on A100.",
    ),
    Pattern(
        "B59",
        "exact FlashAttention brought 64K tokens",
        rf"{FLASH}[^.;]*(enabl\w+|possible|allow\w*|reach\w*|brought|opened)[^.;]*\b(64k|"
        rf"65,?536)|\b(64k|65,?536)[^.;]*(thanks to|because of|enabled by|through) {FLASH}",
        (
            "FlashAttention enabled 64K-token contexts.",
            "FlashAttention made 64K tokens possible, for it reached 64K.",
            "Contexts of 64K came thanks to FlashAttention.",
        ),
        "The 64K result (Path-256) is that of block-sparse FlashAttention; the exact one solved Path-X, at 16K.",
        DENIED + r"|sparse|path-256",
    ),
    Pattern(
        "B70",
        "MQA costs quality unless it is trained in",
        r"(mqa|multi-query)[^.;]*\b(unless|only if|except where)\b[^.;]*(trained|distilled)|"
        r"trained from scratch,? (mqa|multi-query)[^.;]*(nothing|no quality|loses none|free)|(mqa|multi-query)"
        r"[^.;]*(\bscratch\b[^.;]*(nothing|no quality)|(nothing|no quality)[^.;]*\bscratch\b)",
        (
            "MQA costs quality unless it is trained or distilled in.",
            "Trained from scratch, MQA costs no quality.",
            "Multi-query attention loses accuracy only if it was not trained in.",
        ),
        "What MQA costs is disputed: 0.3 perplexity from scratch in one paper, neutral in another.",
        r"disputed|conflict|shazeer|palm|reported|unstable|diverge",
    ),
    Pattern(
        "B76",
        "fused attention is bandwidth-bound, too",
        rf"(fused attention|{FLASH}|prefill|training attention)[^.;,]*\b(is|stays|remains)\b[^.;,]*\b{BOUND}",
        (
            "Fused attention is still bandwidth-bound.",
            "FlashAttention remains memory-bound on an H100.",
            "Even prefill is memory-bound.",
        ),
        "Fused attention in prefill is compute-bound; FlashAttention-3 reaches 75 to 85 % of an H100’s matmul peak.",
        DENIED + r"|unfused|short|small|chunk|decod|\b(when|where|if)\b",
    ),
)

QUALIFIED = (
    Pattern(
        "A36",
        "in a causal model any token reads any other",
        r"\b(decoder|causal|gpt|llm)s?\b[^.;]*\b(from|to|reads?|sees?) (any|every|all) other tokens?",
        (
            "In a decoder each token reads from any other token.",
            "A causal model lets every token attend to all other tokens.",
            "In GPT a token sees every other token.",
        ),
        "Without a mask any token reads from any other; in a decoder it reads itself and what came before.",
        DENIED + r"|earlier|before it|past",
    ),
    Pattern(
        "B66",
        "the cache always dominates memory",
        r"\bcache (always (dominates|outweighs|exceeds)|dominates( the)? (gpu )?memory)|\bit dominates memory",
        (
            "The KV cache dominates memory.",
            "At inference the cache always outweighs the weights.",
            "At 128K the cache always dominates.",
        ),
        "One request of 128K takes 43 GB beside 141 GB of weights; from the fourth on the caches weigh more.",
        DENIED + r"|whether|depends|from the",
    ),
    Pattern(
        "Q43",
        "every dtype has an infinity",
        r"in every dtype(?! that has)",
        (
            "Minus infinity is exact in every dtype.",
            "-inf works in every dtype.",
            "It masks in every dtype alike.",
        ),
        "-inf makes the weight 0 in every dtype that has it.",
    ),
    Pattern(
        "A40",
        "the scale keeps the variance at one, whatever comes in",
        r"\bkeeps? (its|the|their) variance (of the scores )?at (one|1\b)",
        (
            "Divided by root d k to keep its variance at one, it goes through a softmax.",
            "The root keeps the variance at 1.",
            "The scale keeps the variance of the scores at one.",
        ),
        "For independent components of unit variance, the divided score has variance one.",
        DENIED + r"|initiali[sz]ation|independent",
    ),
    Pattern(
        "Q31",
        "every kernel aligns as PyTorch does",
        r"shares the top.left alignment|\b(all|every) (kernels?|librar\w+) aligns? [^.;]*top[- ]left",
        (
            "PyTorch's is_causal shares the top left alignment with flash-attn.",
            "All kernels align the mask to the top left.",
            "Every library aligns it top-left.",
        ),
        "PyTorch's is_causal aligns top-left, flash-attn since 2.1 bottom-right.",
    ),
)

PATTERNS = WRONG + MISLEADING + QUALIFIED
