# ruff: noqa: E501 - the table of forms is read by row
"""Text that orders its reader about in the name of authority, or past its safety.

Owns: the forms of such orders, in English and Chinese, the plainest in other languages. A finding makes a
proposal wait for review, so it may err a little; ordinary preferences ("always run the tests") must pass. Leaves the
consequence to ``checks``. Pure; each form is bounded, so the time is linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from extractord.redact import visible

_EXCERPT = 120  # characters of a finding that are shown


@dataclass(frozen=True, slots=True)
class Order:
    """A place that reads like an injected order: ``kind`` in words, ``excerpt`` from the text."""

    kind: str
    excerpt: str


@dataclass(frozen=True)
class _Form:
    """One form; compiled when a text is first looked at: most programs of ours never do, and all together take a while."""

    kind: str
    source: str
    unless_forbidden: bool = False  # "never run …" states the opposite

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, re.IGNORECASE | re.VERBOSE)


_GAP = r"(?:[\w'’-]+[\s,]+)"  # a word and what follows it
_DROP = r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass(?:ing)?|circumvent|(?:do\s+not|don'?t|stop|no\s+longer)\s+(?:follow|obey|heed)(?:ing)?)\s+"
_ORDERS = r"(?:instructions?|prompts?|directives?|guidelines?|guardrails?|safeguards?|system\s+messages?)\b"
_RULES = r"(?:rules?|polic(?:y|ies)|restrictions?|constraints?|limitations?|training|programming|context)\b"
_SECRETS = (
    r"(?:secrets?|credentials?|(?:access|api|auth|oauth|session)[\s_-]?tokens?|tokens|api[\s_-]?keys?|env(?:ironment)?\s+(?:vars?|variables?|files?)"
    r"|\.env|ssh\s+keys?|private\s+keys?|passwords?|cookies|(?:conversation|chat)(?:\s+(?:history|log|transcript))?|transcripts?|source\s+code|~/\.\w+)"
)
_NEAR = r"(?:[^.!?\n]|[.!?](?=\S))"  # within a sentence; the dots of a path or an address do not end it
_KEY_FILES = r"[\"'`]?(?:[\w~$/{}.-]*/)?(?:\.aws/credentials|\.ssh/(?!config|known_hosts|\S*\.pub)\S+|\.?id_(?:rsa|ed25519|ecdsa)\b(?!\.pub)|\.netrc|\.git-credentials|\.pgpass|\.kube/config|\.docker/config\.json|\.claude/\.credentials\S*|etc/shadow)"
_SENDER = r"(?:nc|ncat|netcat|socat|telnet|curl|wget)\b"
_SEND = r"\b(?:send|post|upload|forward|exfiltrate|leak|e-?mail|transmit|copy|paste|append|push|report)\b"
_ELSEWHERE_SEND = r"(?:\b(?:send|schick|envoi|envoy|env[ií]a|invia)\w*|отправ\w*|送信|アップロード|전송|보내)"
_ELSEWHERE_SECRETS = r"(?:zugangsdaten|passwörter|schlüssel|\bsecrets\b|secretos|credencia(?:le)?s|credenziali|identifiants|mots?\s+de\s+passe|парол|ключ|\.env\b|トークン|パスワード|秘密|認証情報|비밀번호|토큰|비밀\s*키)"

_FORMS: tuple[_Form, ...] = (
    _Form("tells to ignore instructions", rf"{_DROP}{_GAP}{{0,3}}(?:previous|prior|above|earlier|preceding|foregoing|system|safety|security|your|all|any|other)\s+{_GAP}{{0,2}}{_ORDERS}"),
    _Form("tells to ignore rules", rf"\b(?:ignor(?:e|ing)|disregard|forget|bypass|circumvent|break)\s+{_GAP}{{0,3}}(?:previous|prior|above|earlier|preceding|your|safety|system)\s+{_GAP}?{_RULES}"),
    _Form("tells to ignore instructions", rf"{_DROP}(?:all\s+|any\s+)?(?:of\s+)?(?:the|these|those|what|everything|anything)\s+{_GAP}?(?:instructions?|rules?|prompts?|guidelines?|was\s+said|you\s+were\s+told|told)\s*(?:above|before|so\s+far|earlier|you|from\s+the\s+(?:user|system)|of\s+the\s+(?:user|system))"),
    _Form("tells to ignore instructions", r"\b(?:forget|disregard|ignore)\s+(?:everything|all|anything)\s+(?:above|before|you|that\s+came|said|prior|previous)"),
    _Form("speaks as the system", r"<\|?/?(?:im_(?:start|end)|system|assistant|user|endoftext|system-reminder|system_prompt|tool_result|function_(?:calls|results)|command-(?:name|message)|local-command-\w+)(?:\s[^<>]{0,40})?\|?> | \[/?(?:INST|SYSTEM|SYS)\] | <</?SYS>> | \"role\"\s*:\s*\"(?:system|assistant)\" | \#{2,}\s*(?:new\s+)?(?:system\s+)?(?:instructions?|prompt)\s*: | \b(?:begin|end)\s+(?:of\s+)?(?:system|admin)\s+(?:prompt|message|instructions?)\b | \[system\s*(?:note|message|override|notice)?\]"),
    _Form("speaks as the system", r"\b(?:new|updated|revised|real|actual|hidden)\s+(?:system\s+)?(?:instructions?|prompt|directives?)\s*(?::|follow\b|are\b) | \bsystem\s+(?:override|notice|alert)\b\s*[:!]"),
    _Form("asks for the system prompt", r"\b(?:reveal|print|show|output|repeat|leak|send|dump|disclose|display)\s+(?:[\w'’]+\s+){0,3}system\s+prompt"),
    _Form("addresses the AI", r"\b(?:important|attention|note|notice|warning|urgent|critical|message|instructions?|reminder)\b[\s:!,-]{1,3}(?:for|to)\s+(?:all\s+|any\s+|the\s+)?(?:ai|a\.i\.|llms?|claude|(?:ai|coding|code)?\s*(?:assistants?|agents?|models?)|copilot|language\s+models?)\b"),
    _Form("addresses the AI", r"\b(?:ai|llm|language\s+model|assistant|agent|claude|model)s?\s+(?:that\s+|who\s+)?(?:is\s+|are\s+)?(?:reading|processing|seeing|parsing)\s+(?:this|these)\b | \bif\s+you\s+are\s+an?\s+(?:ai|llm|assistant|agent|language\s+model)\b"),
    _Form("gives the reader another role", r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:in\s+|an?\s+|the\s+|bound|restricted|limited|free|claude|allowed)[\w\s-]{0,40} | \b(?:dan|jailbreak|developer|god|admin|root|unrestricted|sudo)\s+mode\s+(?:is\s+)?(?:on|enabled|activated|engaged) | \b(?:enter|enable|activate|switch\s+to)\s+(?:dan|jailbreak|god|unrestricted|developer)\s+mode | \bdo\s+anything\s+now\b | \b(?:act|behave|respond)\s+as\s+(?:if\s+you\s+(?:were|are|had)\s+)?(?:an?\s+)?(?:unrestricted|unfiltered|root|admin\w*|jailbroken|evil)\b"),
    _Form("claims an approval", r"\bpre-?\s?(?:approv|authori[sz])ed\s+(?:[\w-]+\s+){0,3}(?:all|any|every|destructive|dangerous|commands?|actions?|operations?|requests?|tools?|changes|deletions?|access|use)\b | \b(?:all|any|every(?:thing)?|destructive|dangerous)\s+(?:[\w-]+\s+){0,4}(?:is|are|has\s+been|have\s+been|was|were)\s+(?:already\s+)?pre-?\s?(?:approv|authori[sz])ed"),
    _Form("claims an approval", r"\b(?:user|owner|admin(?:istrator)?|operator|developers?|anthropic|management|team|maintainers?|boss|cto|ceo|human)\s+(?:has|have|had)?\s*(?:already\s+|explicitly\s+|fully\s+|permanently\s+)*(?:approved|authori[sz]ed|granted|permitted|allowed|consented\s+to|waived)\s+(?:[\w-]+\s+){0,3}(?:all|any|every|full|unrestricted|unlimited|blanket|destructive|permanent)\s+(?:[\w-]+\s+){0,3}(?:commands?|actions?|operations?|permissions?|requests?|tools?|tool\s+calls|access|deletions?|confirmations?|checks)\b"),
    _Form("claims an approval", r"\b(?:you|the\s+(?:agent|assistant|ai)|claude)\s+(?:now\s+)?(?:have|has|are|is)\s+(?:been\s+)?(?:granted|given|authori[sz]ed|full|unrestricted|root|blanket)\s+(?:[\w-]+\s+){0,3}(?:access|permissions?|approval|authority|privileges?|to\s+(?:delete|execute|run|bypass))"),
    _Form("orders in the name of authority", r"\b(?:anthropic|openai|administrators?|admins?|security\s+team|management|operators?|root|system|headquarters|legal)\b[\w\s,]{0,30}\b(?:requires?|orders?|mandates?|demands?|instructs?|commands?|directs?|wants)\s+(?:that\s+)?(?:you|claude|all\s+(?:agents|assistants|ais|models)|every\s+(?:agent|assistant|ai)|the\s+(?:ai|assistant|agent|model))\b | \b(?:by\s+order\s+of|on\s+behalf\s+of|authori[sz]ed\s+by)\s+(?:the\s+)?(?:anthropic|openai|system\s+admin\w*|administrators?|security\s+team)\b"),
    _Form("forbids to ask", r"(?:do\s+not|don'?t|never|no\s+need\s+to|must\s+not)\s+(?:ever\s+)?(?:ask|seek|request|wait|prompt|require|check\s+with|pause)\b[^.!?\n]{0,40}\b(?:confirm\w*|approval|permission|consent|user)\b[^.\n]{0,60}\b(?:ever|delet\w+|destructive|dangerous|force|drop|rm\b|sudo|any(?:thing)?|all|every(?:thing)?|production|prod|payments?|secrets?|credentials?)\b"),
    _Form("forbids to ask", r"\b(?:delet\w+|destructive|dangerous|force-?\s?push\w*|drop\w*|rm\s+-rf|wip(?:e|ing)|overwrit\w+|deploy\w*|sudo|any\s+command|all\s+commands)\b[^.\n]{0,60}\bwithout\s+(?:ever\s+)?(?:asking|confirm\w*|approval|permission|review\s+or|telling|any\s+(?:confirmation|approval))", unless_forbidden=True),
    _Form("hides from the person", r"(?<!\bwe\s)(?<!\bthey\s)(?<!\busers\s)\b(?:(?:do|must|should|shall|may|can)\s*not|(?:do|must|should|ca)n['’]?t|never|without)\s+(?:ever\s+)?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|reveal(?:ing)?)\s+(?:(?:this|these|it|any\s+of\s+this|that\s+you|the\s+instructions?)\b|(?:the\s+)?(?:user|human|person|owner|developer)\s+(?:about|of|that)\b|about\s+(?:this|these|it)\b) | \b(?:hide|conceal|keep)\s+(?:this|these|it|that)\s+(?:[\w-]+\s+)?(?:secret\s+)?from\s+(?:the\s+)?(?:user|human|owner|developer|reviewer|person)s?\b | \b(?:secretly|silently|covertly|quietly)\s+(?:send|upload|install|push|exfiltrate|post|copy|execute|forward|delete|add\s+a\s+backdoor)\b"),
    _Form("switches safety off", r"\b(?:disabl(?:e|ing)|turn(?:ing)?\s+off|bypass(?:ing)?|circumvent(?:ing)?|skip(?:ping)?|remov(?:e|ing)|deactivat(?:e|ing)|switch(?:ing)?\s+off|ignor(?:e|ing)|suppress(?:ing)?)\s+(?:[\w-]+\s+){0,3}(?:permission\s+(?:prompts?|checks?|system|requests?|rules?)|safety\s+\w+|safeguards?|guardrails?|approval\s+(?:prompts?|checks?|steps?|requests?)|confirmation\s+(?:prompts?|dialogs?|requests?)|content\s+filters?|security\s+(?:checks?|prompts?|warnings?|restrictions?|controls?))\b", unless_forbidden=True),
    _Form("switches safety off", r"--dangerously[\w-]+ | \bdangerously[\s_-]?(?:skip|disable|allow)\w* | \bbypasspermissions\b | --yolo\b | --full-auto\b | --no-verify-permissions | \bauto-?\s?(?:approve|accept|confirm)\s+(?:all|any|every)\w*\s+(?:[\w-]+\s+)?(?:commands?|permissions?|tools?|requests?|actions?|prompts?|tool\s+calls|edits)", unless_forbidden=True),
    _Form("runs what it fetches", r"\b(?:curl|wget|fetch|iwr|invoke-webrequest|base64|echo|xxd|openssl|nc)\b[^|\n]{0,300}\|\s*(?:sudo\s+(?:-\w+\s+)?)?(?:env\s+)?(?:/\w+/)*(?:ba|z|da|k|fi|a)?sh\b | \b(?:curl|wget|iwr)\b[^|\n]{0,300}\|\s*(?:sudo\s+)?(?:python[\d.]*|node|perl|ruby|php|iex|source)\b | (?:\b(?:ba|z|da)?sh|source|\.|eval)\s+(?:-c\s+)?[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget) | \biex\s*\(", unless_forbidden=True),
    _Form("runs what it fetches", r"\b(?:fetch|download|open|visit|read|load|get|browse(?:\s+to)?|go\s+to|retrieve)\s+(?:[\w'’]+\s+){0,5}(?:from\s+)?<?https?://\S{1,300}[^.\n]{0,60}\b(?:and|then)\s+(?:[\w'’]+\s+){0,2}(?:follow|execute|run|obey|apply\s+(?:its|the|all)|do\s+what|eval\w*|install|source)\b | \b(?:follow|obey|execute)\s+(?:[\w'’]+\s+){0,4}(?:instructions?|commands?|orders?|steps)\s+(?:[\w'’]+\s+){0,3}(?:at|from|on|in)\s+<?https?://", unless_forbidden=True),
    _Form("destroys files", r"\brm\s+(?:-\w+\s+){0,3}-?\w*[rf]\w*\s+(?:-\w+\s+)*[\"']?(?:~|/(?=\s|\*|$)|/\*|\$HOME|\$\{HOME|/(?:home|etc|usr|var)\b|\*) | \bmkfs\.\w+\s | \bdd\s+if=\S+\s+of=/dev/ | \bchmod\s+-R\s+777\s+/ | :\(\)\s*\{ | \b(?:delete|erase|wipe|destroy)\s+(?:all|every|the\s+entire|the\s+whole)\s+(?:[\w'’]+\s+){0,3}(?:files?(?!\s+(?:in|under|from|below|of)\s+(?:the\s+)?[\"'`]?[\w./-]{0,40}(?:build|dist|tmp|temp|cache|target|out|node_modules|coverage|generated|logs?|fixtures?|snapshots?)\b)|data|repositor(?:y|ies)|repos?|home|disk|database|backups?)\b", unless_forbidden=True),
    _Form("sends secrets away", rf"{_SEND}[^.\n]{{0,80}}?{_SECRETS}[^\n]{{0,80}}?(?:\bto\b|\bat\b|\bvia\b)\s+[^\n]{{0,30}}?(?:https?://|\S{{1,60}}@\S|\bwebhook|\bendpoint|\bserver|\b[\w-]+\.(?:example|com|net|org|io|invalid|dev|sh)\b)", unless_forbidden=True),
    _Form("sends secrets away", r"(?:https?://|\bcurl\b|\bwebhook\b)[^\n]{0,120}?(?:(?:\$\(|`|\$\{?)\s*(?:cat|env|printenv|whoami)|(?<!bearer\s)(?<!basic\s)(?<!token\s)(?<!key:\s)(?<!authorization:\s)(?<!-u\s)(?:\$\(|`|\$\{?)\s*[A-Z_]{0,20}(?:TOKEN|KEY|SECRET|PASSWORD)) | \b(?:always|every|each|must|before|after)\b[^.!?\n]{0,80}\bcurl\b[^\n]{0,120}?\$\{?[A-Z_]{0,20}(?:TOKEN|KEY|SECRET|PASSWORD) | \bcurl\b[^\n]{0,120}(?:-d|--data(?:-\w+)?|-F|-T|--upload-file)\s*[\"']?(?:\w+=)?@?\S{0,60}(?:\.env|id_rsa|id_ed25519|credentials|\.aws|\.ssh|\.netrc|secrets?)", unless_forbidden=True),
    _Form("sends data by a picture", r"!\[[^\]\n]{0,100}\]\(https?://[^)\n]{0,300}(?:[?&][\w-]+=(?:[^)\n]{0,40})?(?:\{|\$|%7B|<|secret|token|data|env|content|memory)|\{\{?)"),
    _Form("orders in every answer", r"\b(?:include|insert|append|add|put)\s+(?:[\w'’]+\s+){0,6}(?:in|into|to|at\s+the\s+end\s+of)\s+(?:every|each|all)\s+(?:[\w'’]+\s+)?(?:response|reply|answer|output|message)s?\b[^\n]{0,80}https?://"),
    # Chinese
    _Form("tells to ignore instructions", r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不要遵守|不再遵守|跳过|推翻|覆盖)[^。！？\n]{0,8}(?:之前|以上|上面|上述|先前|前面|所有|一切|系统|系統|你的|任何|全部|安全)[^。！？\n]{0,6}(?:指令|指示|提示词|提示|规则|規則|约束|限制|设定|要求|命令)"),
    _Form("claims an approval", r"(?:用户|使用者|管理员|系统|官方|安全团队|老板|主人|所有者|负责人)[^。！？\n]{0,4}(?:已|已经|预先|事先)[^。！？\n]{0,6}(?:批准|授权|同意|允许|许可|核准)[^。！？\n]{0,6}(?:所有|任何|全部|一切|你)[^。！？\n]{0,16}(?:命令|操作|权限|请求|指令|行为|动作|访问|执行)"),
    _Form("forbids to ask", r"(?:无需|无须|不用|不要|不必|不需要|禁止|别|永远不要|绝不)(?:再|向用户|向我)?(?:询问|确认|征求|请示|问|等待)[^。！？\n]{0,24}(?:删除|销毁|清空|强制|强推|破坏性|所有命令|任何命令|任何操作|所有操作|一切)"),
    _Form("forbids to ask", r"(?:破坏性|危险|删除|所有|任何)[^。！？\n]{0,10}(?:命令|操作)[^。！？\n]{0,8}(?:都|均|一律)?[^。！？\n]{0,4}(?:无需|无须|不用|不必|不需要)[^。！？\n]{0,4}(?:确认|询问|批准|授权|征求)"),
    _Form("switches safety off", r"(?:绕过|关闭|禁用|跳过|解除|取消)[^。！？\n]{0,6}(?:安全|权限|审批|确认|沙箱|护栏)(?:检查|限制|策略|提示|机制|防护|措施|系统|过滤)", unless_forbidden=True),
    _Form("sends secrets away", r"(?:把|将|將)[^。！？\n]{0,40}(?:密钥|密鑰|密码|口令|令牌|token|凭证|凭据|环境变量|私钥|源码|源代码|\.env|对话|聊天记录|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc)[^。！？\n]{0,30}(?:发送|发|上传|传|提交|转发|邮件|贴)(?:到|给|至|往|去)", unless_forbidden=True),
    _Form("sends secrets away", r"(?:发送|上传|转发|外传)[^。！？\n]{0,20}(?:密钥|密码|令牌|token|凭证|环境变量|私钥|源码|\.env)[^。！？\n]{0,20}(?:到|至|给)", unless_forbidden=True),
    _Form("hides from the person", r"(?:不要|别|切勿|不得|禁止)(?:告诉|告知|通知|提醒|让)(?:用户|使用者|主人|任何人) | (?:不要|别|切勿|不得|禁止|绝不|不能|永远不要)(?:向|对|跟|和)(?:用户|使用者|主人|任何人|人类)(?:提及|提起|提到|透露|说起|说明|泄露|披露|报告|汇报|承认)"),
    _Form("puts others in the person's place", r"(?:把|将|將)[^。！？\n]{1,30}(?:当作|当成|當作|视为|視為|看作)(?:是|来自)?(?:用户|使用者|系统|管理员|主人|所有者)(?:的|本人|说|发|下)"),
    _Form("switches safety off", r"(?:安全|内容|使用|道德)(?:准则|规则|规定|策略|政策|限制|指南|护栏)[^。！？，\n]{0,12}(?:已?(?:被)?(?:暂停|失效|解除|取消|作废|撤销)|不(?:再)?适用|无效)"),
    _Form("forbids to ask", r"(?:无需|无须|不用|不必|不需要|不经|未经)(?:用户|使用者|主人|任何人)(?:的)?(?:同意|批准|许可|确认|授权)[^。！？\n]{0,6}(?:即可|就|便|直接|可以|也可)"),
    _Form("gives the reader another role", r"你现在(?:是|进入|处于|不再)[^。！？\n]{0,20}(?:模式|身份|管理员|不受|限制|root) | (?:开发者|越狱|无限制|上帝)模式(?:已)?(?:开启|启用|激活) | 扮演[^。！？\n]{0,10}(?:不受限制|无限制)"),
    _Form("addresses the AI", r"(?:重要|注意|警告|紧急|致|给)[^。！？\n]{0,6}(?:AI|人工智能|大模型|智能体|Claude)\s*(?:助手|代理|模型)?[^。！？\n]{0,4}(?:：|:|必须|请|须知)"),
    # Orders to later sessions: to run unasked, without protection, to carry things off
    _Form("runs without asking", rf"\b(?:run|execute|exec|launch|start|invoke|call|source|running|executing)\b(?!\s+(?:[\w-]+\s+){{0,3}}(?:tests?|lint\w*|formatters?|type-?\s?checks?|build|suite)\b){_NEAR}{{1,100}}\bwithout\s+(?:ever\s+|first\s+|any\s+)?(?:asking|confirm\w*|approval|permission|consent|prompting|review|telling|checking\s+with)", unless_forbidden=True),
    _Form("switches safety off", r"\b(?:disabl(?:e|ing)|turn(?:ing)?\s+off|switch(?:ing)?\s+off|deactivat(?:e|ing)|bypass(?:ing)?|escap(?:e|ing)|leav(?:e|ing)|circumvent(?:ing)?|run\s+outside(?:\s+of)?)\s+(?:[\w-]+\s+){0,2}sandbox(?:ing)?\b | \b(?:disabl(?:e|ing)|turn(?:ing)?\s+off|switch(?:ing)?\s+off|deactivat(?:e|ing)|bypass(?:ing)?|circumvent(?:ing)?|skip(?:ping)?)\s+(?:[\w-]+\s+){0,2}(?:signature\s+(?:checks?|verification)|(?:tls|ssl|certificate|commit)\s+verification|verification|permissions?|permission\s+checks|(?:pre-?commit|git|commit)\s+hooks?)(?=\s*(?:[.,;!]|$|and\b|for\b|when\b|on\b|to\b)) | \bsandbox\s+(?:must|should|has\s+to|needs\s+to|is\s+to)\s+be\s+(?:off|disabled|turned\s+off|bypassed|switched\s+off)", unless_forbidden=True),
    _Form("switches safety off", r"\b(?:commit|push|use|using|add|pass|run|merge|with|git)\b[^.!?;\n]{0,30}--no-verify\b", unless_forbidden=True),
    _Form("carries things to an address", r"\b(?:open|visit|fetch|load|browse(?:\s+to)?|go\s+to|navigate\s+to|call)\s+(?:[\w'’]+\s+){0,4}<?https?://\S{1,300}[^.\n]{0,40}?\b(?:and|then|to)\s+(?:[\w'’]+\s+){0,2}(?:paste|send|submit|upload|post|enter|type)\b", unless_forbidden=True),
    _Form("reads credentials", rf"(?<!is\s)(?<!are\s)(?<!be\s)(?<!was\s)(?<!were\s)\b(?:read|cat|print|dump|copy|show|open|share|upload|type|output|load|pipe|send|paste|include)\s+(?:[\w'’]+\s+){{0,4}}{_KEY_FILES}", unless_forbidden=True),
    _Form("sends secrets away", rf"\b(?:pipe|pip(?:e|ing)|feed|send|redirect|cat|pass|dump|stream)\b{_NEAR}{{1,100}}(?:\binto|\bto|\bthrough|\||>)\s*{_SENDER}", unless_forbidden=True),
    _Form("orders a later session", r"\b(?:next|future|later|subsequent|coming|following|upcoming)\s+(?:ai\s+|coding\s+|claude\s+)?(?:agents?|assistants?|sessions?|claudes?|instances?|ais?|llms?)\s+(?:(?:ha(?:s|ve)|needs?|(?:is|are)(?:\s+\w+)?)\s+to|must|should|shall|ought\s+to)\b(?!\s+(?:not|never)\b)"),
    _Form("runs without asking", r"(?:运行|執行|执行|启动|跑)(?!\s*(?:一下|一遍)?\s*(?:全部|所有)?\s*(?:测试|单测|单元测试|构建|格式化|静态检查|(?:(?:make|npm|pnpm|yarn|cargo|go|uv|run)\s+){0,3}(?:run\s+)?(?:py|vi)?(?:lint|tests?|fmt|format|check|build)\b))[^。！？\n]{0,60}(?:无需|无须|不用|不要|不必|不需要|别|不)(?:再)?(?:询问|确认|征求|请示|问我|问用户|问) | (?:无需|无须|不用|不必|不需要)(?:再)?(?:询问|确认|征求|请示|问)[^。！？\n]{0,10}(?:运行|执行|启动)[^。！？\n]{0,30}(?:\.sh|脚本|命令|\.py)", unless_forbidden=True),
    _Form("switches safety off", r"(?:关闭|禁用|停用|绕过|关掉|退出|跳过)[^。！？，\n]{0,4}(?:沙箱|沙盒|安全模式|签名验证|提交钩子) | (?:使用|用|加上|带上|加|带)\s*--no-verify", unless_forbidden=True),
    _Form("carries things to an address", r"(?:打开|访问|进入|浏览)[^。！？\n]{0,10}https?://[!-~]{1,300}[^。！？\n]{0,40}(?:粘贴|贴上|贴入|提交|发送|上传|填写|输入)", unless_forbidden=True),
    _Form("reads credentials", rf"(?:读取|打印|显示|输出|复制|查看)\s*{_KEY_FILES}", unless_forbidden=True),
    _Form("orders a later session", r"(?:下一个|下个|后续的?|未来的?|将来的?)(?:的)?(?:代理|智能体|助手|会话|AI|agent|Claude)[^。，！？\n]{0,4}(?:必须|务必|应该|应当|需要|得|要)(?!不)"),
    _Form("runs without asking", rf"\b(?:führe?n?|starte?n?|ausführen)\b(?!\s+(?:\w+\s+){{0,2}}(?:tests?|linter|formatter|build)\b){_NEAR}{{1,100}}\bohne\s+(?:zu\s+fragen|nachzufragen|mich\s+zu\s+fragen|rückfragen?|nachfragen?|bestätigung|erlaubnis)", unless_forbidden=True),
    _Form("switches safety off", r"\b(?:deaktivier\w*|umgeh\w*|schalte?)\s+(?:(?!nie|nicht)\w+\s+){0,2}sandbox\b(?![^.!?\n]{0,12}\bn(?:icht|ie)) | \bsandbox\s+(?:ab|aus)(?:schalten|zuschalten)\b", unless_forbidden=True),
    _Form("carries things to an address", r"\b(?:öffne|besuche|rufe?|abre|visita)\s+(?:\w+\s+){0,3}https?://\S{1,300}[^.\n]{0,40}\b(?:und|y)\s+(?:\w+\s+){0,6}?(?:füge|sende|schicke|poste|gib|lade|pega|envía|manda|sube)\b", unless_forbidden=True),
    _Form("orders a later session", r"\b(?:nächste|kommende|künftige|folgende)\w*\s+(?:agent|assistent|sitzung|session)\w*\s+(?:muss|müssen|soll|sollen|hat)\b | \b(?:siguiente|próxim[oa]|futur[oa])s?\s+(?:agente|asistente|sesión|sesiones)s?\s+(?:debe\w*|tiene\w*\s+que)\b"),
    _Form("runs without asking", rf"\b(?:ejecut[ae]\w*|corre|lanza)\b{_NEAR}{{1,100}}\bsin\s+(?:preguntar\w*|confirmar|confirmación|permiso|pedir)\b", unless_forbidden=True),
    _Form("switches safety off", r"\b(?:desactiv[ae]\w*|deshabilit[ae]\w*|apag[au]\w*)\s+(?:\w+\s+){0,2}(?:sandbox|verificaci\w+)\b", unless_forbidden=True),
    _Form("runs without asking", r"(?:確認|質問|許可)(?:なし|せず|を取らず|を求めず)[^。\n]{0,40}(?:実行|起動)(?!し(?:ない|ては))"),
    _Form("switches safety off", r"サンドボックスを?(?:無効|オフ|解除|切)(?![^。\n]{0,4}(?:しない|するな|らない))"),
    _Form("carries things to an address", r"https?://[!-~]{1,300}[^。\n]{0,10}(?:開いて|アクセスして|開き)[^。\n]{0,40}(?:貼り付け|送信|入力|アップロード)"),
    _Form("orders a later session", r"次の(?:エージェント|セッション|アシスタント)[^。\n]{0,60}(?:なければならない|必ず|してください|すること)"),
    # The agent's own settings, what it fetches at each start, and who is above whom
    _Form("changes the agent's permissions", r"\bpermissions\.allow\b | \bBash\(\*\) | \b(?:add|install|register|create|insert|put)\b[^.!?\n]{1,60}\b(?:SessionStart|SessionEnd|PreToolUse|PostToolUse|UserPromptSubmit|SubagentStop)\b | \b(?:add|append|write|insert|put)\b[^.!?\n]{1,80}\b(?:CLAUDE\.md|AGENTS\.md|settings(?:\.local)?\.json)\b[^.!?\n]{0,20}\b(?:every|each)\s+(?:session|time|run|start)", unless_forbidden=True),
    _Form("runs what it fetches", r"\b(?:(?:start|beginning|begin)\s+of\s+(?:every|each|a|any|the)\s+(?:new\s+)?(?:session|conversation)|(?:session|conversation)\s+start|(?:every|each|any)\s+(?:new\s+)?(?:session|conversation)|when(?:ever)?\s+you\s+(?:begin|start)|first\s+when\s+you\s+begin)\b[^.!?\n]{0,60}(?:\bcurl\b|\bwget\b|\bnpx\b|pip\d?\s+install\s+git\+|\b(?:python[\d.]*|node|ruby|perl|(?:ba|z)?sh)\s+-[ce]\b) | (?:\bcurl\b|\bwget\b|\bnpx\b|pip\d?\s+install\s+git\+|\b(?:python[\d.]*|node|ruby|perl|(?:ba|z)?sh)\s+-[ce]\b)[^!?\n]{0,80}\b(?:(?:at|on|before|in)\s+(?:the\s+)?(?:start|beginning)\s+of\s+(?:every|each|a|any|the)\s+(?:session|conversation)|(?:before|in|at)\s+(?:every|each|any)\s+(?:session|conversation)|when(?:ever)?\s+you\s+(?:begin|start))\b", unless_forbidden=True),
    _Form("runs without asking", rf"\b(?:run|execute|launch|install|start|invoke|use|sudo|delete|push)\b{_NEAR}{{1,100}}(?:\b(?:silently|secretly|covertly)\b|\bwith\s+no\s+(?:confirmation|approval|permission|questions\s+asked)\b)", unless_forbidden=True),
    _Form("claims an approval", r"\b(?:answer|say|reply|respond|press)\s+(?:with\s+)?[\"'`]?(?:yes|y)[\"'`]?\s+to\s+(?:(?:all|any|every|each)\s+(?:[\w-]+\s+){0,2}|(?:the\s+)?(?:permission|approval|confirmation|security|safety|trust)\s+)(?:prompts?|requests?|confirmations?|questions?|dialogs?) | \b(?:approve|accept|merge)\b[^.!?\n]{1,60}\bwithout\s+(?:reading|review(?:ing)?|looking|checking)\b | \b(?:all|every|any)\s+tool\s+(?:calls?|uses?)\s+(?:is|are)\s+(?:pre-?)?(?:approved|authori[sz]ed)", unless_forbidden=True),
    _Form("lets others in", r"\b(?:always\s+)?(?:accept|allow|add|insert|leave|plant|keep)\s+(?:[\w-]+\s+){0,4}back-?doors?\b | \balways\s+accept\s+(?:the\s+|any\s+|every\s+)?(?:[\w-]+\s+)?passwords?\b", unless_forbidden=True),
    _Form("puts itself above the rules", r"\b(?:this|these|the\s+following|my)\s+(?:notes?|memor(?:y|ies)|instructions?|files?|rules?|messages?|topics?)\s+(?:overrides?|supersedes?|outranks?|replaces?|takes?\s+(?:precedence|priority)\s+over|(?:is|are|ranks?)\s+above)\s+(?:[\w'’.-]+\s+){0,3}(?:CLAUDE\.md|AGENTS\.md|system\s+prompt|(?:system|other|all|any|user'?s?|previous|safety)\s+\w+)"),
    _Form("sends secrets away", rf"{_SECRETS}[^.\n]{{0,60}}{_SEND}\s+(?:it|them|this|these|a\s+copy)\s+(?:to|at|via)\s+<?(?:https?://|\S{{1,60}}@) | \b(?:append|include|add|paste|put|insert|embed)\s+(?:the\s+)?(?:contents?|values?|text)\s+of\s+(?:the\s+)?[\"'`]?(?:\.env|{_KEY_FILES}|{_SECRETS})", unless_forbidden=True),
    _Form("switches safety off", r"\b(?:disabl|turn|switch|skip|ignor|bypass|suppress)\w*\s+(?:off\s+)?(?:[\w-]+\s+){0,2}(?:tls|ssl|certificate|integrity|signature|checksum)\s+(?:verification|checks?|validation|errors?|failures?|mismatch\w*|warnings?)\b | \bNODE_TLS_REJECT_UNAUTHORIZED\s*=\s*[\"']?0 | \bGIT_SSL_NO_VERIFY\s*=\s*[\"']?(?:1|true) | \bhttp\.sslVerify[\s=]+false | \bstrict-ssl[\s=]+false | \bgit\s+config\s+(?:--\w+\s+)*core\.(?:sshCommand|fsmonitor)\b | \b(?:ANTHROPIC|OPENAI)_BASE_URL\s*=\s*[\"']?https?://(?!localhost|127\.|\[::1\]|(?:[\w-]+\.)*(?:anthropic|openai)\.com)", unless_forbidden=True),
    _Form("gives the reader another role", r"\byou\s+are\s+now\s+(?:dan|root|god|jailbroken|unrestricted|unfiltered)\b | \ban?\s+(?:unrestricted|unfiltered|jailbroken|uncensored)\s+(?:[\w-]+\s+)?(?:model|ai|assistant|llm)\b(?!\s+\w+put)"),
    # In the name of somebody, or above everything
    _Form("claims an approval", r"\b(?:I|we)\b(?:\s*,[^,.\n]{1,30},)?\s+(?:hereby\s+|now\s+|explicitly\s+){0,2}(?:approve|authori[sz]e|permit|grant|allow|consent\s+to)\s+(?:(?:you|claude|the\s+(?:agent|assistant|ai))\s+(?:to\b|full\b|all\b|any\b|unrestricted\b|permission\b|access\b)|(?:every|all|any|each)\s+(?:[\w-]+\s+){0,2}(?:tool\s+(?:calls?|uses?)|commands?|actions?|operations?|permissions?)\b) | \byou\s+(?:already\s+)?have\s+(?:my|our|the\s+(?:user|owner|admin\w*)(?:['’]s)?|everyone['’]s)\s+(?:[\w-]+\s+)?(?:permission|approval|consent|authori[sz]ation)\b[^.!?\n]{0,40}\b(?:any(?:thing|\s+\w+)?|all|every(?:thing)?|delet\w+|destr\w+|force|rm)\b | \bby\s+(?:reading|loading|opening|processing)\s+this\b[^.!?\n]{0,30}\b(?:you\s+)?(?:agree|consent|accept|are\s+bound|undertake)\b", unless_forbidden=True),
    _Form("forbids to ask", r"\byou\s+(?:no\s+longer|do\s+not|don['’]?t|never)\s+need\s+(?:[\w-]+\s+){0,2}(?:permission|approval|confirmation|consent|authori[sz]ation)\b[^.!?\n]{0,40}\b(?:any(?:thing)?|all|every(?:thing)?|delet\w+|destr\w+|force|rm|sudo|production)\b | \bno\s+(?:confirmation|approval|permission|consent)\s+(?:(?:is|will\s+be|ever)\s+){0,2}(?:needed|required|necessary)\b[^.!?\n]{0,60}\b(?:rm|delet\w+|force|drop\w*|destr\w+|sudo|any(?:thing|\s+commands?)|all\s+commands|everything)\b | \b(?:rm|force-?\s?push\w*|delet\w+|drop\w*|destructive\s+\w+)\b[^.!?\n]{0,40}\bneeds?\s+no\s+(?:confirmation|approval|permission|consent)\b | \b(?:merge|push|deploy|delete|publish|release|install|commit|run|execute)\b[^.!?\n]{1,60}\bwithout\s+(?:telling|informing|notifying)\s+(?:anyone|anybody|the\s+(?:user|owner|team))\b", unless_forbidden=True),
    _Form("switches safety off", r"\b(?:safety|ethical|usage|content)[\s-]+(?:guidelines?|rules?|polic(?:y|ies)|restrictions?)\s+(?:(?:is|are|has|have|was|were)\s+(?:(?:all|now|hereby|temporarily|been)\s+){0,3}(?:suspended|lifted|waived|void|revoked)\b|(?:is|are)\s+(?:no\s+longer|not)\s+(?:in\s+(?:force|effect)|binding)|(?:do(?:es)?\s+not|don['’]?t|no\s+longer)\s+apply\b) | \b(?:permission|approval|confirmation|security)\s+(?:checks?|prompts?|rules?|restrictions?|requests?|dialogs?)\s+(?:do\s+not|don['’]?t|no\s+longer|never)\s+apply\s+(?:to\s+(?:you|claude|this|the\s+(?:agent|assistant))|here)\b | \byou\s+(?:may|can|are\s+(?:free|allowed)\s+to|should|must)\s+(?:now\s+|always\s+)?(?:bypass|circumvent|disregard|ignore)\s+(?:all|any|every|the|your)\s+(?:[\w-]+\s+){0,2}(?:restrictions?|rules?|limits|limitations?|polic(?:y|ies)|guard\w+|instructions?|safety|safeguards?|permissions?)\b | \bsicherheits(?:richtlinien|regeln|vorgaben|bestimmungen)\s+(?:(?:gelten|greifen)\s+(?:\w+\s+){0,2}nicht|(?:sind|wurden)\s+(?:\w+\s+){0,2}(?:aufgehoben|ausgesetzt|außer\s+kraft))", unless_forbidden=True),
    _Form("puts others in the person's place", r"\b(?:treat|consider|regard|take|accept|handle|obey|follow)\s+(?:[\w'’-]+\s+){0,3}(?:text|contents?|messages?|comments?|instructions?|orders?|commands?|requests?|output|whatever|anything|everything)\b[^.!?\n]{0,60}?\b(?:as\s+(?:if|though)\s+(?:it|they)\s+(?:came|comes?|were|was)\s+(?:\w+\s+)?(?:from|by)|as\s+(?:coming|being|direct|commands?|orders?|instructions?|requests?|words|said|written|typed)\s*(?:directly\s+)?(?:from|by|of)|as\s+from)\s+(?:the\s+|your\s+)?(?:user|owner|system|developer|operator|human|admin(?:istrator)?|anthropic)\b"),
    _Form("speaks as the system", r"\b(?:admin(?:istrator)?|root|developer|anthropic)\s+override\b(?!\s+(?:is|for|of|in|file|class|method)\b) | \#{1,6}\s*system(?:\s+(?:message|note|prompt))?\s*:\s*you\b | \b(?:this|the\s+following)\s+(?:[\w-]+\s+)?(?:memory|note|message|notice|directive|instructions?|text|is\s+an?\s+(?:\w+\s+)?(?:message|notice|directive|order))\s+(?:(?:is|are|comes?|was|were)\s+)?(?:sent\s+|written\s+|issued\s+)?(?:directly\s+)?(?:from|by)\s+(?:the\s+)?(?:anthropic|openai|(?:system\s+)?administrators?|system\b|security\s+team)"),
    _Form("orders in the name of authority", r"\b(?:must|has\s+to|is\s+to|shall|are\s+to)\s+be\s+obeyed\b | \b(?:whoever|anyone\s+(?:who|that)|(?:any|every|each|an?)\s+(?:agent|ai|model|assistant|llm)\s+(?:that|which|who))\s+(?:reads?|sees?|loads?|processes)\s+this\b | \byour\s+(?:real|true|actual|new|hidden|secret|primary)\s+(?:task|goal|mission|purpose|objective|job|instructions?|orders?)\s*(?:is\b|are\b|:) | \b(?:do|execute|run|obey|follow)\s+(?:whatever|everything|anything)\s+[^.!?\n]{0,40}?(?:file|page|comments?|issue|site|url|link|message|https?://\S+)[^!?\n]{0,60}?\b(?:says?|tells?|asks?|instructs?|contains?|orders?|demands?)\b | (?:システム)?管理者の(?:命令|指示)(?:により|に従い|で)[^。\n]{0,20}(?:実行|従)", unless_forbidden=True),
    _Form("puts itself above the rules", r"\b(?:ignore|disregard|forget|override)\s+(?:the\s+|any\s+|every\s+)?(?:CLAUDE|AGENTS)\.md\b(?!\s+(?:in|under|of|from|inside|below|files?)\b) | \bthis\s+(?:file|memory|note|topic|message)\s+is\s+(?:the\s+)?(?:(?:sole|only|final|highest|supreme|true)\s+)?authority\b"),
    _Form("hides from the person", r"\bif\s+(?:you\s+are\s+|you['’]?re\s+|anyone\s+|somebody\s+|the\s+user\s+)?ask(?:ed|s)?\b[^.!?\n]{0,50}\b(?:deny|lie|play\s+dumb)\b | \bdeny\s+(?:that\s+(?:it|this|you)\b|knowing|any\s+knowledge|having\s+(?:read|seen)) | \b(?:pretend|claim|report)\s+(?:that\s+)?(?:the\s+|all\s+)?(?:tests?|build|checks?|ci|success)\b[^.!?\n]{0,20}\b(?:even\s+(?:if|when|though)|although|regardless)\b", unless_forbidden=True),
    _Form("carries things to an address", r"\b(?:send|post|upload|submit|push|paste|mail|forward)\s+(?:the\s+|your\s+|each\s+|every\s+|all\s+|a\s+copy\s+of\s+the\s+){1,2}(?:[\w-]+\s+)?(?:diffs?|codebase|working\s+tree|repository\s+contents?|file\s+contents?|memor(?:y|ies)|prompts?|answers?|session)\b[^.!?\n]{0,20}\bto\s+<?https?://(?!localhost|127\.|(?:[\w-]+\.)?git(?:hub|lab)\.)", unless_forbidden=True),
    _Form("lets others in", r"\b(?:add|append|write|put|insert|copy|echo)\s+(?:this|the\s+following|these)\b[^.!?\n]{0,40}\bto\s+[^\s]{0,40}authorized_keys\b | \bauthorized_keys\b[^.!?\n]{0,20}\b(?:every|each|all)\s+(?:machines?|hosts?|servers?)\b | \b(?:grant|give|invite|add)\b[^.!?\n]{1,60}\b(?:access|collaborator|admin|maintainer|permissions?)\b[^.!?\n]{0,40}\b(?:every|each|all|any)\s+(?:repo\w*|machines?|servers?|projects?|accounts?)\s+(?:that\s+)?you\b", unless_forbidden=True),
    _Form("runs without asking", r"\b(?:run|execute|eval(?:uate)?|start)\b(?!\s+(?:[\w-]+\s+){0,3}(?:tests?|lint\w*|formatters?|type-?\s?checks?|build|suite)\b)[^.!?\n]{1,80}\b(?:before|after)\s+(?:every|each|any)\s+(?:answer|reply|response|message|turn|prompt)\b", unless_forbidden=True),
    # German, French, Spanish, Japanese
    _Form("tells to ignore instructions", r"\b(?:ignorier\w*|missachte\w*|vergiss)\s+(?:\w+\s+){0,2}(?:vorherig|bisherig|obig|früher|all|sämtlich)\w*\s+(?:\w+\s+){0,2}(?:anweisung|regel|instruktion|vorgabe|befehl)\w*"),
    _Form("tells to ignore instructions", r"\b(?:ignor[ae]\w*|olvida\w*|oublie\w*)\s+(?:\w+\s+){0,2}(?:instrucci\w+|reglas|indicaciones|órdenes|instructions|règles|consignes)\s+(?:\w+\s+)?(?:anterior\w*|previa\w*|de\s+arriba|précédent\w*|ci-dessus)"),
    _Form("tells to ignore instructions", r"(?:以前|これまで|上記|すべて|全て|前)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト|制約)[^。\n]{0,6}(?:無視|忘れ|破棄)"),
    # The plainest in other languages
    _Form("tells to ignore instructions", r"\b(?:ignor|olvid|esque[çc]|oubli|dimentic|desconsider|desatiend)\w*\s+(?:\w+\s+){0,3}?(?:instru\w+|istruzion\w+|reglas|regras|regole|règles|consignes|ordens|órdenes|ordini|indicaciones|indicazioni|diretrizes|directives)\s+(?:\w+\s+)?(?:anterior\w*|previ[ao]s?|prévi\w+|précédent\w*|precedent\w*|acima|ci-dessus|de\s+arriba|di\s+cui\s+sopra) | \b(?:negeer|vergeet)\s+(?:\w+\s+){0,3}(?:vorige|eerdere|bovenstaande|voorgaande|alle)\s+(?:\w+\s+){0,2}(?:instructies|regels|opdrachten|aanwijzingen) | \b(?:z?ignoruj|zapomnij|pomiń)\w*\s+(?:\w+\s+){0,3}(?:poprzedni|wcześniejsz|powyższ|wszystki)\w*\s+(?:\w+\s+){0,2}(?:instrukcj|polece|zasad|regu)\w*"),
    _Form("tells to ignore instructions", r"(?:игнориру|забудь|отмени)\w*\s+(?:\w+\s+){0,3}(?:предыдущ|прошл|прежн|вс[её])\w*\s+(?:\w+\s+){0,2}(?:инструкц|указан|правил|команд)\w* | (?:önceki|yukarıdaki|tüm)\s+(?:\w+\s+){0,2}(?:talimat|kural|komut|yönerge)\w*\s+(?:\w+\s+)?(?:yok\s+say|görmezden\s+gel|unut|dikkate\s+alma) | (?:bỏ\s+qua|phớt\s+lờ)\s+(?:\w+\s+){0,4}(?:hướng\s+dẫn|chỉ\s+dẫn|chỉ\s+thị|mệnh\s+lệnh|quy\s+tắc) | (?:이전|앞선|위|모든)[^.\n]{0,10}(?:지시|명령|규칙|지침|프롬프트)[^.\n]{0,6}(?:무시|잊) | (?:تجاهل|انسَ?)\s+(?:\w+\s+){0,2}(?:التعليمات|الأوامر|القواعد|التوجيهات) | (?:पिछले|पूर्व|सभी|ऊपर)[^।\n]{0,20}(?:निर्देश|नियम|आदेश)[^।\n]{0,10}(?:अनदेख|नज़रअंदाज़|भूल)"),
    _Form("claims an approval", r"\b(?:be)?nutzer(?:in)?\s+hat\b[^.!?\n]{0,30}\b(?:alle|sämtliche|jede\w*)\b[^.!?\n]{0,30}\b(?:genehmigt|freigegeben|erlaubt|zugestimmt|autorisiert) | \b(?:usuario|usuário|utilisateur|utente|administrador|administrateur|amministratore|propriétaire|dueño|dono)\b[^.!?\n]{0,25}\b(?:aprob|aprov|approuv|approv|autori[sz]|permiti|permis)\w*\s+(?:\w+\s+)?(?:tod[oa]s|tous|toutes?|tutt[ie]|cualquier|qualquer)\b | (?:пользовател|администратор|владел)\w*\s+[^.!?\n]{0,12}(?:одобрил|разрешил|подтвердил|утвердил)\w*\s+(?:вс[её]|люб)\w* | (?:ユーザー|利用者|管理者|オーナー)[^。\n]{0,6}(?:すべて|全て|あらゆる|全)[^。\n]{0,14}(?:承認|許可|認可) | (?:사용자|관리자|소유자)[^.\n]{0,6}(?:모든|전체)[^.\n]{0,14}(?:승인|허가|허용)"),
    _Form("hides from the person", r"\b(?:sag|erzähl|verrat|erwähn|teil)\w*\s+(?:\w+\s+){0,3}(?:be)?nutzer\w*\s+(?:\w+\s+)?(?:nichts?|davon)\b | \bne\s+(?:dis|dites)\s+(?:jamais\s+)?rien\b[^.!?\n]{0,20}\butilisateur | \bn(?:['’]en\s+parle\w*|e\s+(?:dis|dites|mentionne\w*|préviens|révèle\w*))\b[^.!?\n]{0,20}\bpas\b[^.!?\n]{0,20}\butilisateur | \b(?:no|não|non)\s+(?:l[eo]\s+|se\s+lo\s+|o\s+)?(?:dig\w*|diga\w*|cuent\w*|cont[ea]\w*|mencion\w*|avis\w*|revel\w*|dire|dica)\s+[^.!?\n]{0,12}\b(?:usuario|usuário|utente)\b | (?:ユーザー|利用者)に(?:は)?[^。\n]{0,6}(?:知らせ|言わ|伝え|通知せ|気づかれ)(?:ず|ない|るな) | 사용자에게\s*(?:알리|말하|보고하)지\s*(?:마|말) | не\s+(?:говори|сообщай|рассказывай|упоминай)\w*\s+[^.!?\n]{0,15}пользовател"),
    _Form("sends secrets away", rf"{_ELSEWHERE_SEND}[^。!?\n]{{0,60}}{_ELSEWHERE_SECRETS}[^。!?\n]{{0,60}}https?:// | {_ELSEWHERE_SECRETS}[^。!?\n]{{0,60}}https?://[!-~]{{1,300}}[^。!?\n]{{0,20}}{_ELSEWHERE_SEND}", unless_forbidden=True),
)  # fmt: skip

# What a rule against it looks like, up to the place itself.
_FORBIDDEN = re.compile(
    r"(?i)(?:\b(?:never|do\s+not|don'?t|must\s+not|mustn'?t|should\s+not|shouldn'?t|cannot|can'?t|avoid|refuse\s+to|not\s+allowed\s+to|no)\s+(?!forget|hesitate|worry|wait|bother|fail|mind|problem|need|reason)(?:ever\s+)?(?:to\s+)?"
    r"(?:us(?:e|ing)|run(?:ning)?|pip(?:e|ing)|execut(?:e|ing)|pass(?:ing)?|add(?:ing)?|allow(?:ing)?|deploy\w*|force\w*|delet\w+|drop\w*|push\w*|send\w*|post\w*|upload\w*|copy|paste"
    r"|install\w*|disabl\w+|skip\w*|bypass\w*|remov\w+|overwrit\w+|turn\w*|any|a)?|(?:不要|禁止|别|切勿|不得|不能|严禁|勿|请勿)[^。！？；，\n]{0,6}|\bnie(?:mals)?\b|\bnunca\b|\bnobody\b|\bno\s+one\b)[^.!?;\n]{0,60}$"
)
# And after it: "--no-verify is forbidden".
_BANNED = re.compile(
    r"(?i)^[\"'`)”]*\s*(?:(?!and\b|or\b|but\b)[\w-]+\s+){0,2}(?:(?:is|are)\s+(?:\w+\s+)?(?:forbidden|prohibited|banned|disallowed|not\s+(?:allowed|permitted|ok|acceptable)|off[\s-]limits)"
    r"|ist\s+verboten|está\s+prohibido)|^[\"'`)”]*\s*(?:是|都是)?(?:被)?禁止"
)
_TURN = re.compile(r"(?im)^\s*(?:[>*#-]\s*)*[*_]*(human|assistant|user|system|claude|ai|人类|助手|用户|系统)[*_]*\s*[:：]")
_COMMENT = re.compile(r"<!--(.{0,4000}?)(?:-->|\Z)", re.DOTALL)
_SPOKEN_TO = re.compile(
    r"(?i)\b(?:assistant|claude|agents?|ai|llm|models?|ignore\s+\w+|instructions?|obey|execute|run|must|always|never|do\s+not|secretly|curl|token|permissions?)\b"
    r"|忽略|指令|助手|执行|必须|不要"
)
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{32,4000}={0,2}(?![A-Za-z0-9+/=])")
# Emphasis; an underscore inside a word is none.
_MARKUP = re.compile(r"(?:(?<!\w)_|[*`]){1,3}(?=\w)|(?<=\w)(?:[*`]|_(?!\w)){1,3}(?!\w)")
_SPACED_OUT = re.compile(r"(?<!\w)[A-Za-z](?: [A-Za-z]){4,}(?!\w)")  # i g n o r e
_FIGURED = re.compile(r"\b(?=[A-Za-z0-9]*[a-z][013457]|[013457][a-z]{2})[A-Za-z013457]{4,20}\b")
_FIGURES = str.maketrans("013457", "oieast")
# Letters of other scripts that look like Latin ones.
_LOOKALIKE = str.maketrans("аеорсухіѕјԁһոӏɡνοαΑΒΕΗΙΚΜΝΟΡΤΧАВЕКМНОРСТХ", "aeopcyxisjdhnlgvoaABEHIKMNOPTXABEKMHOPCTX")


def orders(text: str) -> tuple[Order, ...]:
    """Return the places in ``text`` that read like an injected order, in the order of their kinds."""
    told = unicodedata.normalize("NFKC", html.unescape(visible(text)))
    shown = _SPACED_OUT.sub(lambda word: word.group().replace(" ", ""), told.translate(_LOOKALIKE))
    flat = _MARKUP.sub("", " ".join(shown.split()))
    # Other scripts' own words are read as they stand, words with figures for letters as those letters.
    readings = {flat, _MARKUP.sub("", " ".join(told.split())), _FIGURED.sub(lambda word: word.group().translate(_FIGURES), flat)}
    found = [*(order for reading in sorted(readings) for order in _in_words(reading)), *_turns(shown), *_comments(shown)]
    for blob in _ENCODED.finditer(shown):
        found += [Order(f"{order.kind}, in base64", blob.group()[:_EXCERPT]) for order in _in_words(_decoded(blob.group()))]
    return tuple(found)


def _in_words(text: str) -> list[Order]:
    return [
        Order(form.kind, match.group().strip()[:_EXCERPT])
        for form in _FORMS
        for match in form.pattern.finditer(text)
        if not (form.unless_forbidden and _is_forbidden(text, match.start(), match.end()))
    ]


def _is_forbidden(text: str, start: int, end: int) -> bool:
    """Whether the words round a place say that it must not be done."""
    return bool(_FORBIDDEN.search(text[max(0, start - 100) : start]) or _BANNED.search(text[end : end + 100]))


def _turns(text: str) -> list[Order]:
    """Return lines that pretend to be turns of a conversation: the agent's own, or a person's beside another's."""
    lines = [(match.group(1).lower(), match.group().strip()) for match in _TURN.finditer(text)]
    speakers = {speaker for speaker, _ in lines}
    alone = {"human", "assistant", "人类", "助手"}
    if speakers & alone or len(speakers & {"user", "claude", "ai", "system", "用户", "系统"}) >= 2:
        return [Order("speaks as a turn of the conversation", line[:_EXCERPT]) for _, line in lines]
    return []


def _comments(text: str) -> list[Order]:
    """Return comments, which a person does not see when reading, that speak to the agent."""
    return [
        Order("speaks to the agent in a comment", one.group()[:_EXCERPT])
        for one in _COMMENT.finditer(text)
        if _SPOKEN_TO.search(one.group(1))
    ]


def _decoded(blob: str) -> str:
    """Return what a base64 text says, "" if it says nothing readable."""
    try:
        said = base64.b64decode(blob + "=" * (-len(blob) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return said if said.isprintable() or "\n" in said else ""
