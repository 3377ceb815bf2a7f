"""What marks text as pasted rather than typed: code, logs, mail, quotations, and what announces them.

Owns: the patterns. Leaves leaving them out to ``sentences``.
"""

from __future__ import annotations

import re

FENCE = re.compile(r"^\s*(```|~~~)")
PASTED_LINE = re.compile(
    r"^(?:\s*[>|]|\t|    |\s*(?://|/\*|<!--|#!|\*/|--\[)|\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:|\[?\d\d:\d\d:\d\d|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b[\s:\]]"
    r"|\s*at [\w.$<>]+\(|Traceback \(|Caused by:|\s*File \"|[\w.]*(?:Error|Exception)\b\s*[:(]|(?:\+\+\+|---|@@|diff --git)(?:\s|$)|[+-]\s*\S.*(?:[;{}(]|[\w\])]\([^()]*\)|[+-]\s*\))\s*$"
    r"|[$%❯] |\w+@[\w-]+:[^ ]*[$#] |E\s{2,}|[=─━-]{4,}\s*$|\s*</?[a-zA-Z][\w-]*(?:\s[^>]*)?>|\s*[\w.-]+\s*=\s*\S+\s*$|.*[{};]\s*$"
    r"|(?:import|from|def|class|func|fn|const|let|var|return|public|private|static|package|select|insert|create)\b.*[;:(){}=]\s*$)"
)  # fmt: skip
MAIL_HEAD = re.compile(
    r"^\s*(?:from|to|cc|subject|sent|reply-to|von|an|betreff|gesendet|de|para|asunto|发件人|收件人|主题|差出人|宛先|件名)\s*[:：]\s*\S|^-+ ?(?:forwarded|original) message"
    r"|^\W*(?:hi|hello|dear|good morning|hallo|liebe|hola) (?:all|everyone|everybody|colleagues|zusammen|alle|kolleg\w+(?: und kolleg\w+)?|a todos|todos|equipo)\b\s*[,!:.—–-]"
    r"|^\s*@(?:all|here|channel|everyone|所有人|全体\w*)(?:[\s,，:：]|$)|^\s*[【［\[](?:重要)?(?:通知|公告|转发|通报|紧急通知|告知|お知らせ|announcement|notice|fwd?|forwarded)[】］\]]|^[^\n。，,]{0,8}(?:各位(?:同事|同学|老师|伙伴|领导|好)|大家好)"
    r"|^on .{5,80} wrote:\s*$|^am .{5,80} schrieb .*:\s*$|^el .{5,80} escribió:\s*$",
    re.IGNORECASE,
)
# what announces that other people's text follows; the announcement ends its line with a colon, or says so
ANNOUNCEMENT = re.compile(
    r"(?:\b(?:ticket|issue|e?-?mail|message|msg|comment|readme|docs?|log|output|error|trace|stack|thread|slack|post|article|paper|review|spec|says?|said|wrote|writes|paste[ds]?|"
    r"pasting|quote|forum|chat|transcript|prompt|forwarded|announcement|memo|newsletter|circular|standup notes|fehler|ausgabe|weitergeleitet|ankündigung|protokoll|rundmail|schreibt|schrieb|meint|text|mensaje|correo|dice|escribió|salida|reenviado|anuncio|circular)\b[^:\n]{0,40}|(?:工单|邮件|文档|日志|报错|原文|评论|说|写|写道|聊天记录|"
    r"粘贴|通知|公告|转发|群里|转的|转来|纪要|お知らせ|転送|議事録|チケット|メール|ログ|エラー|コメント|資料|言って)[^：:\n]{0,12})[:：]\s*$"
    r"|\b(?:stack|log|output|error|trace|mail|ticket|text) (?:is )?below\b|(?:见下|如下|以下)[:：。]?\s*$",
    re.IGNORECASE,
)
# a line of a chat: a time and a name, in either order
CHAT_LINE = re.compile(
    r"^\s*(?:[\[(]?(?:\d{2,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?,?[ T])?\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?[\])]?\s*[-–—,|]?\s*<?[^\W\d_][\w .'-]{0,30}>?[:：]\s"
    r"|<?[^\W\d_][\w .'-]{0,30}>?\s*[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?[\])]?\s*[:：]\s)",
    re.IGNORECASE,
)
# orders about words: what follows them is handed over, not said
_ON_WORDS = (
    r"^\W*(?:(?:please|pls|now|and|ok|then|just|can you|could you|would you|help me|bitte|kannst du|por favor|puedes|请|麻烦|帮我|帮忙|你)[,，]?\s*)*"
    r"(?:(?:translate|summari[sz]e|proof-?read|paraphrase|rephrase|reword|rewrite|polish|shorten|spell-?check|copy-?edit|fix the (?:grammar|spelling|typos|wording)|correct the (?:grammar|spelling|english)"
    r"|übersetz\w*|fass\w*|korrigier\w*|lektorier\w*|formulier\w*|traduc\w*|resum\w*|corrig\w*|reformul\w*|翻译|润色|改写|校对|总结|概括|缩写)(?![\w-])|翻译|润色|改写|校对|总结|概括|缩写|(?:把|将)[^:：。，\n]{1,24}(?:翻译|译成|润色|改写|校对|总结|概括|缩写)"
    r"|(?:次の|以下の|この)[^:：。\n]{0,16}を?[^:：。\n]{0,12}(?:訳|翻訳|要約|添削|校正|言い換え))"
)
HANDED_OVER = re.compile(_ON_WORDS + r"[^:：\n]{0,80}[:：](?=\s|$|[^\x00-\x7f])", re.IGNORECASE)  # in the same line or the next
HANDED_OVER_BELOW = re.compile(
    _ON_WORDS
    + r"(?=[^\n]*(?:\b(?:following|below|folgend\w*|siguiente\w*)\b|\b(?:this|these|my|dies\w*|est[aeo]s?) (?:\w+ )?(?:text|sentences?|paragraph|passage|e?-?mail|message|note|letter|chat|thread|comment|announcement|article|post|satz|absatz|nachricht|frase|texto|mensaje|correo|párrafo)\b"
    r"|下面|以下|这(?:句|段|封|篇|条|个)))[^\n]{0,120}$|^[^\n]{0,10}(?:次の|以下の)[^\n]{0,20}(?:訳|翻訳|要約|添削|校正)[^\n]{0,40}$",
    re.IGNORECASE,
)
LONG_QUOTE = re.compile(
    r"\"(?:[^\"\n\s]+\s+){3,}[^\"\n]*\"|“[^”\n]{24,}”|„[^“”\n]{20,}[“”]|«[^»\n]{20,}»|(?<![\w])'(?:[^'\n\s]+\s+){3,}[^'\n]*'(?!\w)"
    r"|“[^”\na-zA-Z]{8,}”|\"[^\"\na-zA-Z]{8,}\"|[「『][^」』\n]{11,}[」』]|\"[^\"\n]*\b(?:never|always|don't|must|please|nunca|siempre|nie|immer|niemals|bitte)\b[^\"\n]*\""
    r"|“[^”\n]*(?:\b(?:never|always|don't|must|please)\b|不要|必须|禁止|以后|一律)[^”\n]*”|[「『][^」』\n]*(?:べき|してください|しないで|必ず|不要|必须|禁止|以后)[^」』\n]*[」』]"
)  # fmt: skip
