# ruff: noqa: E501 - the tables of forms are read by row
"""Secrets that are known by their own form: tokens with a prefix, addresses with a password, headers, JSON web tokens.

Owns: the table of forms, matched in linear time (RE2). Leaves whether what has a form is a secret to ``genuine``, ``name = value`` to
``assignments`` and key blocks to ``key_blocks``. Sources: the services' own documentation of their tokens; lengths are lower bounds,
since they grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec
import re2

from extractord.redact.genuine import (
    anything,
    credential,
    encoded_key,
    in_address,
    no_sample,
    phrase,
    random_piece,
    random_service,
    random_tail,
    session_value,
    spoken,
)
from extractord.redact.kinds import Kind, Span
from extractord.redact.values import is_name, is_placeholder, is_random, is_reference, is_strong

_PASS_HINTS = (b"assw", b"assp", b"assc", b"ASSW", b"ASSP", b"ennwort")


# A name to log in with and the stroke that parts it from its password: "login: admin / …"
_PAIR = r"(?i)(?:login|zugang|wi-?fi|wlan)\s?[:=]\s?[\w.@+-]+\s?[/|]\s?"


class Form(msgspec.Struct, frozen=True):
    """A form of secret: ``pattern`` (RE2; its group 1 is the secret) is only tried where one of ``hints`` stands in the text.

    ``glance`` is a cheap pattern that finds whatever ``pattern`` does; where none is given, that is a hint with
    eight characters of a token after it.
    """

    kind: Kind
    hints: tuple[bytes, ...]
    pattern: bytes
    real: Callable[[str], bool] = no_sample
    glance: bytes = b""

    @property
    def least(self) -> bytes:
        """The glance, or what stands for it."""
        return self.glance or b"(?:" + b"|".join(map(re2.escape, self.hints)) + rb")[A-Za-z0-9_.~%+/=@:,-]{8}"


_ADDRESS = rb"://[^\s/:@\"'<>`]*:[^\s\"'<>`]+@[A-Za-z0-9\[$({-]"
_B = rb"(?:^|[^A-Za-z0-9])"  # left edge of a token whose prefix is a common syllable
_SK = _B + rb"sk-[A-Za-z0-9_-]{16}"

FORMS: tuple[Form, ...] = (
    Form(Kind.AWS, (b"AKIA", b"ASIA", b"ABIA", b"ACCA", b"A3T"), _B + rb"((?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})(?:[^A-Za-z0-9]|$)"),
    Form(
        Kind.AWS,
        (b"AKIA", b"ASIA"),
        rb"(?:AKIA|ASIA)[A-Z0-9]{16}[\s:,;/|\"']{1,6}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        random_tail,
    ),
    Form(Kind.AWS, (b"ABSK",), _B + rb"(ABSK[A-Za-z0-9+/]{60,}={0,2})"),
    Form(Kind.GITHUB, (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"), rb"(gh[pousr]_[A-Za-z0-9]{30,})"),
    Form(Kind.GITHUB, (b"github_pat_",), rb"(github_pat_[A-Za-z0-9_]{30,})"),
    Form(
        Kind.GITLAB,
        (b"glpat-", b"gldt-", b"glrt-", b"glcbt-", b"glptt-", b"glft-", b"glsoat-", b"glagent-", b"gloas-", b"glimt-", b"glffct-", b"_gitlab_session="),
        rb"((?:gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)-|_gitlab_session=)[A-Za-z0-9_=-]{20,}(?:\.[A-Za-z0-9_]{2,}\.[A-Za-z0-9_-]{6,})?)",
    ),
    Form(Kind.GITLAB, (b"GR1348941",), rb"(GR1348941[A-Za-z0-9_-]{20,})"),
    Form(Kind.SLACK, (b"xox", b"xapp-", b"xoxe."), rb"((?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,})", lambda v: no_sample(v) and any(c.isdigit() for c in v)),
    Form(Kind.WEBHOOK, (b"hooks.slack.com/",), rb"(hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,})"),
    Form(Kind.WEBHOOK, (b"/api/webhooks/",), rb"(discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_-]{40,})"),
    Form(Kind.WEBHOOK, (b"webhook.office.com/", b".com/webhook/"), rb"((?:webhook\.office\.com/webhookb2|outlook\.office(?:365)?\.com/webhook)/[A-Za-z0-9@/-]{60,})"),
    Form(Kind.WEBHOOK, (b"bot/v2/hook/", b"robot/send?access_token=", b"webhook/send?key="),
         rb"(?:bot/v2/hook/|robot/send\?access_token=|webhook/send\?key=)([A-Za-z0-9-]{20,})"),
    Form(Kind.STRIPE, (b"_live_", b"_test_", b"_prod_"), _B + rb"((?:sk|rk|pk_sess)_(?:live|test|prod)_[A-Za-z0-9]{16,})", glance=rb"(?:sk|rk|sess)_(?:live|test|prod)_[A-Za-z0-9]{8}"),
    Form(Kind.STRIPE, (b"whsec_",), rb"(whsec_[A-Za-z0-9+/=]{24,})"),
    Form(Kind.GOOGLE, (b"AIza",), rb"(AIza[A-Za-z0-9_-]{33,})"),
    Form(Kind.GOOGLE, (b"GOCSPX-",), rb"(GOCSPX-[A-Za-z0-9_-]{20,})"),
    Form(Kind.GOOGLE, (b"ya29.",), rb"(ya29\.[A-Za-z0-9_-]{20,})"),
    Form(Kind.GOOGLE, (b"1//0",), _B + rb"(1//0[A-Za-z0-9_-]{30,})"),
    Form(Kind.GOOGLE, (b"GOOG1",), _B + rb"(GOOG1[A-Z0-9]{50,})"),
    Form(Kind.ANTHROPIC, (b"sk-ant-",), rb"(sk-ant-[A-Za-z0-9]{2,}-[A-Za-z0-9_-]{16,})"),
    Form(Kind.OPENAI, (b"sk-",), _B + rb"(sk-(?:proj|svcacct|admin|None|or-v1|lf)-[A-Za-z0-9_-]{16,})", random_piece, glance=_SK),
    Form(Kind.OPENAI, (b"sk-",), _B + rb"(sk-[A-Za-z0-9_-]{20,})", lambda v: random_tail(v[3:]), glance=_SK),
    Form(Kind.HUGGING_FACE, (b"hf_", b"api_org_"), _B + rb"((?:hf|api_org)_[A-Za-z0-9]{28,})", glance=rb"(?:hf|org)_[A-Za-z0-9]{16}"),
    Form(Kind.PACKAGE_INDEX, (b"npm_",), _B + rb"(npm_[A-Za-z0-9]{30,})", glance=rb"npm_[A-Za-z0-9]{16}"),
    Form(Kind.PACKAGE_INDEX, (b"pypi-",), rb"(pypi-[A-Za-z0-9_-]{40,})"),
    Form(Kind.PACKAGE_INDEX, (b"rubygems_",), rb"(rubygems_[a-f0-9]{40,})"),
    Form(Kind.PACKAGE_INDEX, (b"CLOJARS_",), rb"(CLOJARS_[A-Za-z0-9]{50,})"),
    Form(Kind.PACKAGE_INDEX, (b"oy2",), _B + rb"(oy2[a-z0-9]{43})(?:[^A-Za-z0-9]|$)", glance=rb"oy2[a-z0-9]{43}"),
    Form(Kind.PACKAGE_INDEX, (b"cio",), _B + rb"(cio[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)", random_tail, glance=rb"cio[A-Za-z0-9]{32}"),
    Form(Kind.AZURE, (b"Q~",), rb"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})"),
    Form(Kind.AZURE, (b"sig=",), rb"[?&;]sig=([A-Za-z0-9%+/=]{30,})"),
    Form(Kind.TOKEN, (b"sig=", b"signature="), rb"[?&;](?:sig|signature)=([A-Za-z0-9%+/=_-]{16,})", random_tail),
    Form(Kind.AZURE, (b"AccountKey=", b"accountkey=", b"SharedAccessKey="), rb"(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    Form(Kind.SERVICE, (b"SG.",), _B + rb"(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,})", glance=rb"SG\.[A-Za-z0-9_-]{16}"),
    Form(Kind.SERVICE, (b"dapi", b"dose", b"dkea"), _B + rb"((?:dapi|dose|dkea)[a-f0-9]{32}(?:-\d)?)(?:[^A-Za-z0-9]|$)", glance=rb"(?:dapi|dose|dkea)[a-f0-9]{16}"),
    Form(Kind.SERVICE, (b"SK", b"AC"), _B + rb"((?:SK|AC)[0-9a-f]{32})(?:[^A-Za-z0-9]|$)", glance=rb"(?:SK|AC)[0-9a-f]{32}"),  # Twilio
    Form(Kind.SERVICE, (b"key-",), _B + rb"(key-[0-9a-f]{32})(?:[^A-Za-z0-9]|$)", glance=rb"key-[0-9a-f]{16}"),  # Mailgun
    Form(Kind.SERVICE, (b"-us",), _B + rb"([0-9a-f]{32}-us\d{1,2})(?:[^A-Za-z0-9]|$)", glance=rb"[0-9a-f]-us\d"),  # Mailchimp
    Form(Kind.SERVICE, (b":AA",), rb"(?:^|[^0-9])(\d{8,10}:AA[A-Za-z0-9_-]{30,40})(?:[^A-Za-z0-9_-]|$)"),  # Telegram
    Form(
        Kind.SERVICE,
        (b".",),
        rb"(?:^|[^A-Za-z0-9_-])([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})(?:[^A-Za-z0-9_-]|$)",
        random_tail,
        glance=rb"(?:^|[^A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{23}[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{6}\.",
    ),  # Discord
    Form(Kind.SERVICE, (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), rb"(shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{30,})"),
    Form(Kind.SERVICE, (b"sq0",), rb"(sq0[a-z]{3}-[A-Za-z0-9_-]{20,})"),
    Form(Kind.SERVICE, (b"EAA",), _B + rb"(EAA[A-Za-z0-9_-]{57,})", random_tail, glance=rb"EAA[A-Za-z0-9_-]{57}"),  # Facebook, Square
    Form(Kind.SERVICE, (b"_v1_",), rb"(do[opr]_v1_[a-f0-9]{60,})", glance=rb"do[opr]_v1_[a-f0-9]{8}"),
    Form(Kind.SERVICE, (b"hvs.", b"hvb.", b"hvr."), _B + rb"(hv[sbr]\.[A-Za-z0-9_-]{20,})"),
    Form(Kind.SERVICE, (b".atlasv1.",), rb"([A-Za-z0-9]{10,20}\.atlasv1\.[A-Za-z0-9_=-]{50,})"),
    Form(Kind.SERVICE, (b"glc_", b"glsa_"), _B + rb"((?:glc|glsa)_[A-Za-z0-9+/=_]{30,})"),
    Form(Kind.SERVICE, (b"NRAK-", b"NRII-", b"NRJS-", b"NRRA-"), rb"(NR(?:AK|II|JS|RA)-[A-Za-z0-9_-]{18,})"),
    Form(Kind.SERVICE, (b"PMAK-",), rb"(PMAK-[a-f0-9]{24}-[a-f0-9]{30,})"),
    Form(Kind.SERVICE, (b"dp.",), _B + rb"(dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,})", glance=rb"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{8}"),
    Form(Kind.SERVICE, (b"AKC",), _B + rb"(AKC[A-Za-z0-9]{60,})", random_tail, glance=rb"AKC[A-Za-z0-9]{60}"),
    Form(Kind.SERVICE, (b"AGE-SECRET-KEY-", b"age-secret-key-"), rb"((?:AGE-SECRET-KEY|age-secret-key)-1[A-Za-z0-9]{50,})"),
    Form(Kind.SERVICE, (b"r8_",), _B + rb"(r8_[A-Za-z0-9]{35,})"),
    Form(Kind.SERVICE, (b"pat",), _B + rb"(pat[A-Za-z0-9]{14}\.[a-f0-9]{60,})", glance=rb"[A-Za-z0-9]\.[a-f0-9]{60}"),
    Form(Kind.SERVICE, (b"sl.",), _B + rb"(sl\.(?:u\.)?[A-Za-z0-9_-]{80,})", glance=rb"sl\.[A-Za-z0-9._-]{40}"),
    Form(Kind.SERVICE, (b"ATATT", b"ATCTT", b"ATBB", b"ATOA"), rb"((?:ATATT|ATCTT|ATBB|ATOA)[A-Za-z0-9_=-]{24,})"),
    Form(Kind.SERVICE, (b"HRKU-",), rb"(HRKU-[A-Za-z0-9_-]{30,})", anything),
    Form(Kind.SERVICE, (b"pul-",), _B + rb"(pul-[a-f0-9]{40})"),
    Form(Kind.SERVICE, (b"tskey-",), rb"(tskey-[a-z]+-[A-Za-z0-9]{6,}-[A-Za-z0-9]{16,})"),
    Form(Kind.SERVICE, (b"LTAI",), _B + rb"(LTAI[A-Za-z0-9]{12,24})(?:[^A-Za-z0-9]|$)"),  # Aliyun
    Form(Kind.SERVICE, (b"AKID",), _B + rb"(AKID[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)"),  # Tencent
    Form(Kind.SERVICE, (b"xkeysib-", b"xsmtpsib-"), rb"((?:xkeysib|xsmtpsib)-[A-Za-z0-9-]{60,})"),
    Form(Kind.SERVICE, (b"EZAK", b"EZTK"), _B + rb"(EZ[AT]K[A-Za-z0-9]{54})"),
    Form(Kind.SERVICE, (b"tvly-", b"xai-", b"pplx-", b"nvapi-", b"fw_", b"voyage-", b"jina_", b"csk-", b"tgp_v1_", b"pa-"),
         _B + rb"((?:tvly|xai|pplx|nvapi|pa|csk)-[A-Za-z0-9_-]{24,}|(?:jina|fw|tgp_v1)_[A-Za-z0-9_-]{20,})", random_tail,
         glance=_B + rb"(?:(?:tvly|xai|pplx|nvapi|pa|csk)-|(?:jina|fw|tgp_v1)_)[A-Za-z0-9_-]{16}"),
    Form(Kind.SERVICE, (b"ops_eyJ",), rb"(ops_eyJ[A-Za-z0-9_=-]{50,})", anything),
    Form(Kind.SERVICE, (b"A3-",), _B + rb"(A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){2,4}[A-Z0-9]{5,6})"),  # 1Password
    Form(Kind.SERVICE, (b"FlyV1", b"fm2_", b"fo1_"), rb"((?:fm2|fo1)_[A-Za-z0-9_+/=,-]{30,})"),
    Form(Kind.SERVICE, (b"v1.0-",), rb"(v1\.0-[a-f0-9]{20,}-[a-f0-9]{100,})"),  # Cloudflare
    Form(Kind.SERVICE, (b"infura.io/v3/", b"alchemy.com/v2/"), rb"(?:infura\.io/v3/|alchemy\.com/v2/)([A-Za-z0-9_-]{28,})"),
    Form(Kind.SERVICE, (b"access-sandbox-", b"access-production-", b"access-development-"), rb"(access-(?:sandbox|production|development)-[0-9a-f-]{36})"),
    Form(Kind.SERVICE, (b"-",), _B + rb"([A-Z]{3,8}-[A-Za-z0-9]{32,})(?:[^A-Za-z0-9]|$)", lambda v: random_tail(v.partition("-")[2]), glance=rb"[A-Z]-[A-Za-z0-9]{32}"),
    # Any service that follows the custom of prefix_randomletters: lin_api_…, ntn_…, sntrys_…, figd_…, pscale_tkn_…, gsk_…
    Form(
        Kind.SERVICE,
        (b"_",),
        _B + rb"([A-Za-z][A-Za-z0-9]{0,11}(?:_[a-z0-9]{1,10}){0,3}_[A-Za-z0-9]{24,}(?:[-_.=+/][A-Za-z0-9]+){0,8}={0,2})",
        random_service,
        glance=rb"_[A-Za-z0-9]{24}",
    ),
    # A key block in base64, as in a kubeconfig or a CI variable
    Form(Kind.PRIVATE_KEY, (b"LS0tLS1CRUdJTi",), rb"(LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2})", encoded_key),
    Form(Kind.JWT, (b"eyJ",), _B + rb"(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,3})"),
    # Addresses: scheme://user:password@host, and a token alone before the @
    Form(Kind.PASSWORD, (b"://",), rb"://[^\s/:@\"'<>`]{0,100}:([^\s/\"'<>`]{1,200})@[A-Za-z0-9\[$({]", in_address, glance=_ADDRESS),
    Form(Kind.PASSWORD, (b"://",), rb"://[^\s/:@\"'<>`]{1,100}:([^\s@\"'<>`]{8,200})@[A-Za-z0-9-]+\.", lambda v: credential(v) and "/" in v, glance=_ADDRESS),
    Form(Kind.TOKEN, (b"://",), rb"://([A-Za-z0-9_-]{20,})@", random_tail, glance=rb"://[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*@"),
    Form(Kind.PASSWORD, (b"curl", b"wget", b"http "), rb"(?:curl|wget|https?)\s[^\n]{0,200}?(?:-u|--user)[ =]?[\"']?[\w.@+-]{1,80}:([^\s\"']{4,200})", in_address, glance=rb"(?:curl|wget|https?)\s[^\n]*(?:-u|--user)[ =]?[\"']?[\w.@+-]+:[^\s\"']"),
    Form(Kind.PASSWORD, (b"sshpass",), rb"sshpass\s+-p\s?[\"']?([^\s\"']{4,200})", in_address, glance=rb"sshpass\s+-p"),
    Form(Kind.PASSWORD, (b"docker login", b"podman login", b"helm registry login", b"redis-cli"),
         rb"(?:login|redis-cli)\s[^\n]{0,120}?(?:-p|-a)[ =]?[\"']?([^\s\"']{6,200})", credential, glance=rb"(?:login|redis-cli)\s[^\n]*-[pa][ =]?[\"']?[^\s\"']{6}"),
    Form(Kind.PASSWORD, (b"mysql", b"mariadb"), rb"(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\n]{0,120}?-p[\"']?([^\s\"'-][^\s\"']{5,200})", in_address, glance=rb"(?:mysql|mariadb)(?:dump|admin)?\s[^\n]*-p[\"']?[^\s\"'-][^\s\"']{5}"),
    Form(Kind.PASSWORD, (b"login",), rb"(?i)\b(?:machine\s+\S{1,200}\s+)?login\s+\S{1,200}\s+password\s+(\S{4,200})", in_address, glance=rb"(?i)login\s+\S+\s+password\s+\S{4}"),
    # Said in plain words: "X is the root password", "with X as password", a quoted phrase, a PIN, a pair to log in with
    Form(Kind.PASSWORD, _PASS_HINTS, rb"(?i)(?:^|[\s\"'`(])([!-~]{6,80})\s(?:is|was|as|ist|als|es|como)\s(?:[a-z]{1,12}\s){0,3}(?:password|passphrase|passcode|passwort|kennwort)(?:[.,;:!?)\n]|$|\s(?:for|of|to|on|in|f|and|everywhere|when)[^a-z])", spoken,
         glance=rb"(?i)[0-9][!-~]*\s(?:is|was|as|ist|als|es|como)\s(?:[a-z]+\s)*(?:pass(?:word|phrase|code|wort)|kennwort)"),
    Form(Kind.PASSWORD, _PASS_HINTS, rb"(?i)(?:password|passphrase|passcode|passwort|kennwort)(?:\s[\w.-]{1,40}){0,4}\s(?:is|ist|lautet)\s{0,2}:?\s?(?:\"|`|'|\xe2\x80\x9c)([a-z0-9]+(?:[ -][a-z0-9]+){0,9})(?:\"|`|'|\xe2\x80\x9d)", phrase,
         glance=rb"(?i)(?:pass(?:word|phrase|code|wort)|kennwort)(?:\s[\w.-]+)*\s(?:is|ist|lautet)\s*:?\s*[\"`'\xe2]"),
    Form(Kind.PASSWORD, _PASS_HINTS, rb"(?i)(?:password|passphrase|passcode|passwort|kennwort)(?:\s[^\s.,;:!?]{1,40}){1,5}\s(?:is|ist|lautet|est?)\s[\"'`]?([!-~]{6,80})", spoken,
         glance=rb"(?i)(?:pass(?:word|phrase|code|wort)|kennwort)(?:\s[^\s.,;:!?]+)+\s(?:is|ist|lautet|est?)\s[!-~]*[0-9]"),
    Form(Kind.PASSWORD, (b"assphrase", b"ASSPHRASE"), rb"(?i)passphrase(?:\s[\w.-]{1,40}){0,4}\s(?:is|ist)\s([a-z]+(?:-[a-z]+){3,9})", phrase, glance=rb"(?i)passphrase(?:\s[\w.-]+)*\s(?:is|ist)\s[a-z]+-"),
    Form(Kind.PASSWORD, (b"PIN",), rb"\bPIN(?:\s[\w.-]{1,40}){0,4}(?:\s(?:is|ist|es)|\s?[:=])\s?[\"'`]?(\d{4,8})(?:[^\w.]|\.\W|\.?$)", anything, glance=rb"\bPIN(?:\s[\w.-]+)*(?:\s(?:is|ist|es)|\s?[:=])\s?[\"'`]?\d{4}"),
    Form(Kind.PASSWORD, (b"log", b"Log", b"sign", b"Sign"), rb"(?i)\b(?:log|sign)(?:ged)?[ -]?in\s(?:[\w.-]{1,40}\s){0,4}(?:with|as|using)\s[\"'`]?[\w.@-]{1,40}\s?[/:]\s?([!-~]{6,80})", spoken, glance=rb"(?i)\b(?:log|sign)(?:ged)?[ -]?in\s(?:[\w.-]+\s)*(?:with|as|using)\s[\"'`]?[\w.@-]+\s?[/:]\s?[!-~]{6}"),
    Form(Kind.PASSWORD, (b"/", b"|"), _PAIR.replace("+\\s", "{1,60}\\s").encode() + rb"([!-~]{6,80})", lambda v: is_strong(v.rstrip(".,;:)\"'`")), glance=_PAIR.encode() + rb"[!-~]"),
    Form(Kind.PASSWORD, (b"asic",), rb"(?i)\bbasic[ -]auth(?:entication)?\s?(?:is|with|as|for|:)?\s?[\w.@-]{1,60}:([!-~]{6,80})", spoken, glance=rb"(?i)\bbasic[ -]auth(?:entication)?[^\n]*:[!-~]{6}"),
    Form(Kind.PASSWORD, (b"mongo", b"ldapsearch", b"htpasswd", b"openssl"),
         rb"(?:(?:mongo(?:sh|dump|restore|import|export)?|ldapsearch)\s[^\n]{0,120}?\s-[pw]\s?|htpasswd\s+-\w{0,4}b\w{0,4}\s+\S{1,80}\s+\S{1,80}\s+|openssl\s[^\n]{0,120}?\s-k\s+)[\"']?([^\s\"']{6,200})", credential,
         glance=rb"(?:mongo(?:sh|dump|restore|import|export)?|ldapsearch|htpasswd|openssl)\s[^\n]*\s[\"']?[^\s\"']{6}"),
    # Elements and attributes of markup: <password>…</password>, key="ApiKey" value="…"
    Form(Kind.PASSWORD, (b"</",), rb"(?i)>\s{0,4}([^<>\s]{6,300})\s{0,4}</[\w:.-]{0,40}(?:password|passwd|passphrase|secret|api-?_?key|access-?_?key|token)>", credential,
         glance=rb"(?i)</[\w:.-]*(?:password|passwd|passphrase|secret|key|token)>"),
    Form(Kind.PASSWORD, (b"value", b"Value"), rb"(?i)[\"'][\w:.-]{0,60}(?:password|passwd|passphrase|secret|api-?_?key|access-?_?key|token)[\"']\s{1,4}value\s?=\s?[\"']([^\"'\s]{6,300})[\"']", credential,
         glance=rb"(?i)(?:password|passwd|passphrase|secret|key|token)[\"']\s+value\s?="),
    # Headers
    Form(Kind.TOKEN, (b"earer", b"EARER"), rb"(?i)\bbearer[:\s]\s{0,3}[\"']?([A-Za-z0-9._~+/=-]{16,})", lambda v: credential(v) and (is_random(v) or len(v) >= 20),
         glance=rb"(?i)\bbearer[:\s]\s{0,3}[\"']?[A-Za-z0-9._~+/=-]{16}"),
    Form(Kind.TOKEN, (b"uthorization", b"UTHORIZATION"),
         rb"(?i)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:basic|token|apikey|api-key|ssws|bot|key|digest)\s{1,3}([A-Za-z0-9._~+/=:-]{8,})",
         lambda v: not (is_reference(v) or is_placeholder(v) or is_name(v)),
         glance=rb"(?i)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:basic|token|apikey|api-key|ssws|bot|key|digest)\s{1,3}[A-Za-z0-9._~+/=:-]{8}"),
)  # fmt: skip

# Cookie headers are read in two steps: the header's line, then each value in it.
_COOKIE_LINE = rb"(?i)\b(?:set-)?cookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?([A-Za-z0-9_.-]{1,64}=[^\n\"']{8,})"
_COOKIE_GLANCE = rb"(?i)\bcookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?[A-Za-z0-9_.-]+=[^\n\"']{8}"
_COOKIE_VALUE = rb"(?:^|;)\s{0,3}[A-Za-z0-9_.-]{1,64}=([^;\s]{8,})"


@cache
def _compiled(pattern: bytes) -> Any:
    return re2.compile(pattern)


def glances() -> Iterator[str]:
    """Yield patterns, as ``quick_look`` takes them, one of which is found in any text in which ``token_spans`` finds something."""
    yield from dict.fromkeys(form.least.decode() for form in FORMS)
    yield _COOKIE_GLANCE.decode()


def token_spans(text: bytes) -> Iterator[Span]:
    """Yield the secrets in ``text`` (UTF-8) that have a form of their own; spans may overlap."""
    for form in FORMS:
        if any(hint in text for hint in form.hints):
            for match in _compiled(form.pattern).finditer(text):
                if form.real(match.group(1).decode("utf-8", "replace")):
                    yield Span(match.start(1), match.end(1), form.kind)
    yield from _cookie_spans(text)


def _cookie_spans(text: bytes) -> Iterator[Span]:
    if b"ookie" not in text and b"OOKIE" not in text:
        return
    for line in _compiled(_COOKIE_LINE).finditer(text):
        begin, end = line.span(1)
        for value in _compiled(_COOKIE_VALUE).finditer(text[begin:end]):
            if session_value(value.group(1).decode("utf-8", "replace")):
                start, stop = value.span(1)
                yield Span(begin + start, begin + stop, Kind.COOKIE)
