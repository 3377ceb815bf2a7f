"""What marks text as pasted rather than typed: code, logs, mail, quotations, and what announces them.

Owns: the patterns. Leaves leaving them out to ``sentences``.
"""

from __future__ import annotations

import re

FENCE = re.compile(r"^\s*(```|~~~)")
PASTED_LINE = re.compile(
    r"^(?:\s*[>|]|\t|    |\s*(?://|/\*|<!--|#!|\*/|--\[)|\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:|\[?\d\d:\d\d:\d\d|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b[\s:\]]"
    r"|\s*at [\w.$<>]+\(|Traceback \(|Caused by:|\s*File \"|[\w.]*(?:Error|Exception)\b\s*[:(]|(?:\+\+\+|---|@@|diff --git)(?:\s|$)|[+-]\s*\S.*[;{}()]\s*$"
    r"|[$%❯] |\w+@[\w-]+:[^ ]*[$#] |E\s{2,}|[=─━-]{4,}\s*$|\s*</?[a-zA-Z][\w-]*(?:\s[^>]*)?>|\s*[\w.-]+\s*=\s*\S+\s*$|.*[{};]\s*$"
    r"|(?:import|from|def|class|func|fn|const|let|var|return|public|private|static|package|select|insert|create)\b.*[;:(){}=]\s*$)"
)  # fmt: skip
MAIL_HEAD = re.compile(
    r"^\s*(?:from|to|cc|subject|sent|reply-to|von|an|betreff|gesendet|de|para|asunto|发件人|收件人|主题|差出人|宛先|件名)\s*[:：]\s*\S|^-+ ?(?:forwarded|original) message"
    r"|^on .{5,80} wrote:\s*$|^am .{5,80} schrieb .*:\s*$|^el .{5,80} escribió:\s*$",
    re.IGNORECASE,
)
# what announces that other people's text follows; the announcement ends its line with a colon, or says so
ANNOUNCEMENT = re.compile(
    r"(?:\b(?:ticket|issue|e?-?mail|message|msg|comment|readme|docs?|log|output|error|trace|stack|thread|slack|post|article|paper|review|spec|says?|said|wrote|writes|paste[ds]?|"
    r"pasting|quote|forum|chat|transcript|prompt|fehler|ausgabe|schreibt|schrieb|meint|text|mensaje|correo|dice|escribió|salida)\b[^:\n]{0,40}|(?:工单|邮件|文档|日志|报错|原文|评论|说|写|写道|聊天记录|"
    r"粘贴|通知|チケット|メール|ログ|エラー|コメント|資料|言って)[^：:\n]{0,12})[:：]\s*$"
    r"|\b(?:stack|log|output|error|trace|mail|ticket|text) (?:is )?below\b|(?:见下|如下|以下)[:：。]?\s*$",
    re.IGNORECASE,
)
LONG_QUOTE = re.compile(
    r"\"(?:[^\"\n\s]+\s+){3,}[^\"\n]*\"|“[^”\n]{24,}”|„[^“”\n]{20,}[“”]|«[^»\n]{20,}»|(?<![\w])'(?:[^'\n\s]+\s+){3,}[^'\n]*'(?!\w)"
    r"|“[^”\na-zA-Z]{8,}”|\"[^\"\na-zA-Z]{8,}\"|[「『][^」』\n]{11,}[」』]|\"[^\"\n]*\b(?:never|always|don't|must|please|nunca|siempre|nie|immer|niemals|bitte)\b[^\"\n]*\""
    r"|“[^”\n]*(?:\b(?:never|always|don't|must|please)\b|不要|必须|禁止|以后|一律)[^”\n]*”|[「『][^」』\n]*(?:べき|してください|しないで|必ず|不要|必须|禁止|以后)[^」』\n]*[」』]"
)  # fmt: skip
