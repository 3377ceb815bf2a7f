"""How people refuse, doubt or take back what the agent said or did.

Owns: the words of an objection, in English, Chinese, German, Spanish, French and Japanese. What is doubtful counts as one: a
choice that was not clearly let stand is not remembered. Leaves to ``evidence`` which messages are asked. Pure, linear time.
"""

from __future__ import annotations

import re

_RETRACTION_CHARACTERS = 80
_SHORT = 8  # words: in so short a message any "not" is about what was just said

# Said with a word of refusal in it, but content: taken out before anything is looked for.
_CONTENT = re.compile(
    r"(?i)\b(?:no|not?\s+an?y?)\s*(?:problems?|worries|objections?|issues?|rush|doubt|complaints?|need\s+to\s+\w+|questions?)\b"
    r"|\bnot\s+(?:too\s+|at\s+all\s+|half\s+)?bad\b|\b(?:can'?t|cannot|could\s*n[o']t)\s+(?:complain|agree\s+more|be\s+better)\b|\bdon'?t\s+mind\b|\bnothing\s+against\b"
    r"|\bkeine?\s+(?:problem|einw[äa]nde?|sorge|frage)\b|\bnicht\s+schlecht\b|\bsin\s+problemas?\b|\bno\s+hay\s+problema\b|\bno\s+está\s+mal\b|\bpas\s+de\s+(?:problème|souci)s?\b|\bpas\s+mal\b"
    r"|不错|不客气|不过|不用谢|没问题|没意见|没事|不赖|別に問題|問題(?:ない|ありません)|悪くない"
)
# At the beginning of a message or of a sentence in it.
_OPENING = re.compile(
    r"(?im)(?:^|[.!?;:,。！？；，、\n]|\b(?:but|and|hmm+|well|sorry|please|thanks|aber|bitte|danke|pero|gracias|mais|merci)\b)[\s\W]*"
    r"(?:(?:no|nope|nah|nay|naw|wait|stop|halt|undo|revert|wrong|incorrect|don'?t|do\s+not|never|not\s+(?:that|this|like|so|what|now|yet|here|in)|nevermind|instead|rather|actually\s+no|cancel|scrap|drop\s+(?:it|that|this)|skip\s+(?:it|that|this)"
    r"|forget\s+(?:it|that|this)|hold\s+(?:on|off)|leave\s+(?:it|that)|seriously|really\?|are\s+you\s+(?:sure|serious|kidding)|who\s+(?:asked|told|said)|says\s+who|why\s+(?:would|should|on\s+earth|did\s+you|are\s+you|not|the\s+hell)|what\s+for"
    r"|nein|nee|nö|nicht|stopp|falsch|lieber|doch\s+nicht|auf\s+keinen|keinesfalls|niemals|nie|warum\s+soll\w*|wozu|vergiss|lass\s+(?:das|es)"
    r"|mejor|así\s+no|nunca|jamás|para\s+nada|en\s+absoluto|olvídalo|por\s+qué\s+habría\w*|para\s+qué|non|jamais|plutôt|pas\s+(?:ça|question|comme|du\s+tout|maintenant)|surtout\s+pas|pourquoi\s+faire|laisse\s+tomber)(?!\w)"
    r"|不|别|錯|错了|停|等等|等一下|撤销|撤回|算了|回退|取消|いや|いいえ|違|ちがう|ダメ|だめ|駄目|やめ|待って|戻して|嫌|なぜ|どうして)"
)
# Anywhere.
_WITHIN = re.compile(
    r"(?i)\b(?:disagree\w*|i\s+(?:\w+\s+)?object|object(?:ed|ing)?\s+to|objections?|(?:absolutely|certainly|definitely|of\s+course|hell|surely|please|rather|better|preferably|i\s+think|i\s+hope|maybe)\s+not|no\s+(?:way|thanks?|thank\s+you|chance|go|please|gracias)|not\s+a\s+(?:fan|chance|good)"
    r"|(?:terrible|horrible|awful|bad|stupid|dumb|silly|wrong|poor|crazy|ridiculous)\s+(?:idea|plan|choice|call|move|suggestion|proposal|approach|advice|thing|way)|nonsense|makes?\s+no\s+sense|ridiculous|unacceptable"
    r"|(?:i|we)(?:\s+would|'?d)\s+(?:much\s+|strongly\s+)?(?:rather|prefer|sooner)|(?:i|we)\s+(?:\w+\s+)?prefer|the\s+opposite|the\s+other\s+way|(?:cancel|scrap|undo|revert|skip|drop|forget|stop|ditch|kill|scratch|reject|retract)\s+(?:that|this|it|the\s+(?:idea|plan|suggestion|proposal)|your)\b|never\s*mind"
    r"|(?:does|do|did|will|would|should|could|can|is|are|was)(?:\s+not|n'?t)\s+(?:\w+\s+)?(?:work|want|like|agree|think|need|do\s+(?:that|this|it)|help|fit|right|good|acceptable|ok(?:ay)?|what|how|true|correct|convinced|happy|sure|start|ask|use|suit|make\s+sense)|won'?t\s+(?:work|do|fly)|let(?:'?s|\s+us)\s+not"
    r"|that'?s\s+(?:wrong|not|no|bad|nonsense)|(?:that|this|it|which)\s+(?:is|was|would\s+be|sounds|seems|looks)\s+(?:\w+\s+)?(?:wrong|not|bad|terrible|awful|a\s+mistake|incorrect|false|risky)|why\s+(?:would|should)\s+(?:we|i|you|anyone|anybody)|who\s+asked|i\s+(?:hate|doubt|refuse|reject|dislike|said\s+no)|(?:i'?m|we'?re|i\s+am|we\s+are)\s+against"
    r"|on\s+second\s+thoughts?|changed?\s+(?:my|our)\s+mind|reconsider|veto\w*|overrul\w*|take\s+(?:that|it)\s+back|back\s+out\s+of|pass\s+on\s+(?:that|this|it)|against\s+(?:it|that|this|the\s+idea)|no\s+longer\s+want"
    r"|bitte\s+nicht|auf\s+(?:gar\s+)?keinen\s+fall|(?:gar|so|doch|das|es|lieber|besser|wir|ich)\s+nicht|dagegen|widersprech\w*|lehne\w*|schlechte\s+idee|keine\s+gute\s+idee|kommt\s+nicht\s+in\s+frage|quatsch|unsinn|falsch|im\s+gegenteil|vergiss\s+(?:es|das)|lass\s+(?:das|es)|rückgängig|brich\s+ab|abbrechen"
    r"|no\s+(?:estoy\s+de\s+acuerdo|quiero|me\s+(?:gusta|convence)|lo\s+hagas|funciona|queremos|hagamos)|mala\s+idea|en\s+desacuerdo|ni\s+hablar|de\s+ninguna\s+manera|prefiero|preferiría|al\s+contrario|olvida\s+eso|cancela\w*|deshaz\w*|me\s+opongo"
    r"|pas\s+d'?\s*accord|(?:ne|n['’])\s*\w+\s+pas|mauvaise\s+idée|hors\s+de\s+question|pas\s+question|au\s+contraire|je\s+préfère|je\s+refuse|je\s+m['’]oppose|annule\w*|oublie\s+(?:ça|cela)|laisse\s+tomber)\b"
    r"|不同意|不行|不要|不必|不可以|不可|不对|不對|不是这|不是這|不好|不喜欢|不想|不需要|不用了|不赞成|不认可|不接受|不合适|不建议|反对|反對|没必要|拒绝|算了|错了|取消|撤销|撤回|收回|回退|相反|为什么要|为啥要|凭什么|谁让|别这|别用|别再|糟糕|馊主意|还是别|先别|改主意"
    r"|反対|同意(?:しない|できない|しません|できません)|賛成(?:しない|できない|しません|できません)|しないで|やめて|ないでください|嫌です|違います|ダメ|だめ|よくない|良くない|却下|取り消|キャンセル|逆に|むしろ|必要(?:ない|ありません)|\U0001f44e|\u274c|\U0001f645|\U0001f6ab|\u26d4|\U0001f926"
)
# Nothing but that: what was said just before holds no more.
_RETRACTION = re.compile(
    r"(?i)\W*(?:(?:ok(?:ay)?|oh|ah|hm+|no|nah|well|wait|actually|please|sorry|so|just|na|ach|doch|pues|bon|哦|嗯|あ)\b[\s,.!…—–-]*){0,3}"
    r"(?:(?:you\s+can\s+)?(?:forget|drop|scratch|cancel|strike|undo|revert|ignore|disregard|scrap)\s+(?:about\s+)?(?:it|that|this|all\s+(?:of\s+)?(?:it|that|this)|what\s+i\s+(?:just\s+)?said)"
    r"|never\s*mind(?:\s+(?:it|that|this))?|nvm|i\s+take\s+(?:it|that)\s+(?:all\s+)?back|take\s+(?:it|that)\s+back|(?:i(?:'ve)?\s+)?changed\s+my\s+mind|on\s+second\s+thoughts?,?\s+no"
    r"|vergiss\s+(?:es|das)|lass\s+(?:es|das)|doch\s+nicht|ich\s+nehme\s+(?:es|das)\s+zurück|olvídalo|olvida\s+(?:eso|lo\s+que\s+dije)|déjalo|mejor\s+no|oublie(?:\s+(?:ça|cela))?|laisse\s+tomber"
    r"|算了(?:吧)?|忘了(?:它|这个)?吧|忘掉(?:它|这个)?吧?|当我没说|不用了|やっぱり(?:いい|なし|やめ)(?:です)?|忘れて(?:ください)?|今のなし)"
    r"(?:[\s,.!…—–-]*(?:please|thanks|thank\s+you|then|sorry|again|again\s+please|now|bitte|danke|gracias|por\s+favor|merci|吧|了|ね))*\W*"
)
_NEGATION = re.compile(
    r"(?i)\b(?:no|not|never|none|\w+n['’]t|dont|cannot|nicht|kein\w*|nie|niemals|nada|nunca|jamás|pas|jamais|non)\b|ません|ない(?![かで])"
)

# Stems that many sentences share whatever they speak of.
_COMMON = frozenset(
    [
        "that",
        "this",
        "then",
        "them",
        "they",
        "with",
        "will",
        "would",
        "shoul",
        "could",
        "from",
        "have",
        "what",
        "when",
        "which",
        "each",
        "every",
        "alway",
        "never",
        "also",
        "just",
        "only",
        "into",
        "make",
        "want",
    ]
)


def objects(text: str) -> bool:
    """Whether ``text``, typed after something the agent said, refuses it, takes it back or doubts it."""
    said = _CONTENT.sub(" ", " ".join(text.replace("’", "'").split("\n\n")))
    if _OPENING.search(said) or _WITHIN.search(said):
        return True
    return len(said.split()) <= _SHORT and _NEGATION.search(said) is not None


def retracts(text: str) -> bool:
    """Whether ``text`` says nothing but that what was said just before holds no more: "Forget it." """
    return len(text) <= _RETRACTION_CHARACTERS and _RETRACTION.fullmatch(text.replace("’", "'")) is not None


_WORD = re.compile(r"\w{4,}")
_PAIRED = re.compile(r"(?=([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2}))")


def speaks_of(text: str, subject: str) -> bool:
    """Whether ``text`` takes up a word of ``subject``; words are compared by their first five letters, unspaced ones by pairs."""
    return not _stems(text).isdisjoint(_stems(subject))


def _stems(text: str) -> set[str]:
    lowered = text.lower()
    return {word[:5] for word in _WORD.findall(lowered)} - _COMMON | set(_PAIRED.findall(lowered))
