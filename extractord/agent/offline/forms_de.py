"""German forms of speech (a core). See ``forms`` for what the tables mean."""

from __future__ import annotations

import re

from extractord.agent.offline.forms import Speech, form

S = r"(?:^|[,:(!.]\s*|\s[—–-]\s|\b(?:und|aber|also|bitte|auch|dann|ok|nein|ja|bitte auch|mal|nochmal|außerdem|dort|hier|da|generell|künftig|grundsätzlich|wir|soll(?:en|st)?)[,:]?\s+)"
SYSTEM = r"(?:confluence|jira|notion|grafana|kibana|sentry|slack|teams|sharepoint|wiki|miro|figma|trello|linear|redmine|youtrack|datadog|intranet|laufwerk|netzlaufwerk|share|onedrive|nextcloud|mattermost|zammad|servicenow|metabase|power ?bi|handbuch im|kanal|board|channel|postfach|kalender|excel|tabelle)"
URL = r"https?://\S+"
PLACE = rf"(?:{URL}|(?<![\w&])#[a-z][\w-]{{2,}}|\b{SYSTEM})"
STANDING = (
    form("ab jetzt", r"\b(?:ab (?:jetzt|sofort|heute|nun)|in zukunft|zukünftig|künftig|von nun an|fortan|beim nächsten mal|nächstes mal|fürs nächste mal|ab dem nächsten|grundsätzlich|generell|prinzipiell|ausnahmslos|ohne ausnahme|auf keinen fall|unter keinen umständen|in der regel gilt|hausregel|regel (?:ist|hier)|faustregel|gilt(?: immer| generell)?:|standardmäßig)\b", unless=r"vielleicht|ab heute im urlaub|könnte"),
    form("keine mehr", r"\b(?:bitte |ab jetzt |und |nie |wir wollen |wir machen )*(?:keine?n?|nie) (?!ahnung|zeit|lust|fehler|warnung|idee|frage|sorge|problem)[\w/ -]{3,40}? mehr\b(?! (?:als|da|übrig|gefunden|sehen|geben))", unless=r"\?|\b(?:es gibt|gibt es|ich (?:sehe|habe|finde)|da (?:ist|sind)|habe?n? (?:wir|ich)|heute|ist|sind|kommt|kommen)\b"),
    form("hör auf", rf"{S}(?:hör|hört) (?:bitte |mal )*auf\b|\blass (?:das|die|bitte|den) .*\b(?:sein|weg|bleiben)\b|\bschluss mit\b", unless=r"\bkurz\b|\bjetzt\b"),
    form("was der anwender sieht", r"\b(?:alles|was) .{0,30}\b(?:sieht|sehen|liest|lesen|rausgeht)\b.*\b(?:deutsch|englisch|sie|du|siezen|duzen|auf)\b"),
    form("ich mag", r"\bich (?:mag|bevorzuge|will|möchte|hasse|arbeite|lese) (?:\w+ )*(?:lieber|keine|immer|nie|nicht|es nicht|am liebsten|es wenn|kurze|besser|kleine \w+|große \w+|lange \w+|einzelne \w+)\b|\bmir ist (?:es )?lieber\b|\bich (?:hätte|sehe) (?:lieber|gern immer)", unless=r"\b(?:die erste|das zweite|jetzt|heute|diese)\b"),
    form("bevor du", r"\b(?:bevor|wenn|sobald|jedes mal wenn|immer wenn) du (?!das\b|den\b|die\b|fertig|es\b|jetzt)\w+.*\b(?:frag|sag|zeig|immer|erst|zuerst|bitte|schreib|nimm|mach|nenn|erklär)\w*", unless=r"\bfertig bist\b|\bkannst du\b"),
    form("erklär nicht", r"\b(?:du (?:musst|brauchst) (?:mir )?nicht|kein bedarf)\b.{0,24}\b(?:erklären|zusammenfassen|entschuldigen)\b|\b(?:antworte|schreib|sprich|erklär)\w* (?:mir )?(?:bitte )?(?:immer |nur )?(?:kurz|knapp|auf (?:deutsch|englisch)|einfach)\b"),
)  # fmt: skip
NORMS = (
    form("nirgends", r"\b(?:keine?n?|nie|nichts)\b[^?]*\b(?:nirgends|nirgendwo|niemals|auf keinen fall)\b"),
    form("nie", rf"(?:{S}|\bbitte )(?:nie wieder|niemals|nie|nie mehr|immer|stets|jedes ?mal)\b(?! (?:noch|schon|gesehen|gehört|passiert|so|wieder fehl|mit mir))", unless=r"\bwarum\b|\b(?:es|das|der|die|er|sie|ich) (?:schlägt|ist|war|geht|hat|habe|vergesse) (?:immer|nie)\b|immer noch|immer wieder fehl|war schon immer|\bich .*\bimmer\b.*\bvergess"),
    form("immer, im satz", r"\b(?:immer|niemals|nie|stets|nur|ausschließlich) (?:direkt |einfach |von hand |selbst |gleich )?(?:auf|mit|in|im|über|als|per|zuerst|erst|nur|an|von|siezen|duzen|\w+en)\b", unless=r"^(?:es|das) |\b(?:warum|wieso|ich|schlägt|fehl|ist|war|sind|hat|immer noch|kommt|nicht nur|nur (?:noch )?heute|nur (?:kurz|mal)|sollten? wir)\b"),
    form("keine x in y", r"(?:^|[,:]\s*|\b(?:bitte|und) )keine?n? (?:\w+ )?\w+ (?:in|im|auf|bei|für|ohne|aus|von|nach|vor|mehr|ins|zum) \w+", unless=r"\b(?:ahnung|zeit|lust|fehler|sorge|idee|problem|jetzt|heute|erstmal|gibt|habe|hat|im moment)\b"),
    form("alle x auf y", r"\b(?:alle|jede[rs]?|sämtliche) \w+ (?:\w+ )?(?:müssen|muss|sollen|soll|bitte (?:auf|in|mit|immer)|auf|mit|in|brauchen|braucht|bekommen|bekommt|dürfen|gehören|kommen)\b", unless=r"\b(?:tests (?:laufen|sind)|heute|jetzt|fehl|grün|diese[rs]?)\b|\?"),
    form("wir machen das so", r"\bwir (?:\w+ )?(?:nutzen|verwenden|schreiben|machen|committen|testen|benutzen|deployen|mergen|rebasen|nehmen|haben) (?:hier |bei uns |in diesem projekt |nie |immer |nur |grundsätzlich |keine |kein )+", unless=r"\?|\bgerade\b|\bheute\b|haben (?:hier )?(?:keine|kein) (?:zeit|ahnung)"),
    form("verboten", r"\b(?:sind|ist|bleibt|bleiben) (?:bei uns |hier |grundsätzlich |streng )?(?:verboten|tabu|pflicht|nicht erlaubt|untersagt)\b"),
)  # fmt: skip
CORRECTION = (
    form("nicht", r"\b(?:nicht|kein|keine|keinen|statt|anstatt|lieber|stattdessen|nimm|nehmt|verwende|benutz|nutze|schreib|lass|zurück)\b"),
    form("bleibt", r"\b(?:bleibt|bleiben|gehört|gehören|muss|müssen|soll|sollen|darf|dürfen)\b"),
)  # fmt: skip
REMEMBER = (
    form("merk dir", r"\b(?:merk(?:e|t)? (?:dir|euch)|merkst du dir|(?:brenn|präg)e? dir|denk(?:e|t)? (?:immer )?dran|denk daran|notier(?:e|t)?(?: dir)?|schreib(?:e)? (?:dir )?(?:das |mal )?auf|vergiss (?:bitte )?nicht(?=[,:]| dass| das)|behalt(?:e)? (?:(?:das|es|bitte|immer|mal) )*im (?:kopf|hinterkopf)|vergiss (?:das|es|bitte) nicht(?=[,:])|nimm (?:das )?in deine notizen|zum mitschreiben|wichtig:|zur erinnerung|für die zukunft|für später|gut zu wissen)\b"),
    form("merken", r"\bbitte (?:\w+ )?(?:merken|notieren)\b|\b(?:merken|notieren):|\b(?:dauerhaft|für immer|für alle sitzungen|für künftige sitzungen) (?:gemerkt|merken|notieren|festhalten)\b|\b(?:halte?|haltet) (?:das |bitte |mal )*fest(?=[,:])"),
)  # fmt: skip
INFORM = (
    form(
        "zur info",
        r"\b(?:zur info|zur information|nur damit du|damit du(?:'s| es)? (?:weißt|bescheid)|hintergrund:|übrigens|nebenbei|fyi|termin(?:e|lich)?:)\b",
    ),
)
ROLE = r"(?:\w+(?:er|or|ist|ikerin|erin|ant|eut|oge|ent|arzt|ärztin|anwalt|frau|mann|iker)\b|admin|dev|dba|azubi|student(?:in)?|anfänger(?:in)?|neuling|quereinsteiger(?:in)?|laie|po|pm|cto|farbenblind|rotgrünblind|blind|taub|legastheniker|gehörlos|sehbehindert|freiberuflich)"
PERSON = (
    form("ich bin", rf"\b(?:ich bin|bin|bin ich) (?:(?:eigentlich|ja|halt|selbst|ursprünglich|von haus aus|gelernte[rs]?|nur|eher|hauptsächlich|seit \w+|auch|noch|kein|keine|im|der|die|ein|eine|hier|totaler|absoluter|ein absoluter|blutiger|studierte[rs]?|promovierte[rs]?|rot-grün-|teilweise) )*[\w-]*{ROLE}\b",
         unless=r"\b(?:sicher|weg|fertig|verwirrt|später|wieder|hier|immer|leider|weiter|oder|aber|sauer|müde|lieber|hinter|unter|über|der meinung|nicht sicher|der fehler|dafür|dagegen)\b(?! (?:von|bei)).{0,4}$|\bich bin (?:gleich|mir|nicht|gerade|jetzt|mal|dafür|dagegen|der meinung|wieder|weiter|immer)\b|\bwenn ich\b|\boder bin ich"),
    form("ich komme aus", r"\b(?:ich )?(?:komm|komme|kam|stamme) (?:ich )?(?:eigentlich |ursprünglich |ja |halt )?(?:aus|von)\b(?! (?:der|einem|dem)? ?(?:besprechung|mittagspause|meeting|urlaub|termin|pause))|\b(?:bin|war) (?:ich )?(?:\w+ )?(?:neu (?:in|bei|im|mit)|quereinsteiger|umsteiger)\b|\bist (?:für mich )?(?:neu|neuland|alles neu)(?: für mich)?\b(?=.*\bmich\b|\W*$)|\bfür mich (?:\w+ )?(?:neu|neuland)\b"),
    form("ich arbeite als", r"\bich (?:arbeite|war|leite|betreue|unterrichte|studiere|entwickle|mache|mach|programmiere|schreibe) (?:\w+ ){0,3}(?:als|seit|hauptsächlich|eigentlich|sonst|normalerweise|jahre|jahrelang|nur|eher|noch nicht lange|erst)\b|\b(?:mach|mache|programmiere|schreibe|kenne|nutze) ich (?:erst |schon |seit |nur )+|\bich bin für .* (?:zuständig|verantwortlich)\b", unless=r"\b(?:gerade|heute|jetzt|morgen|weiter)\b"),
    form("jahre", r"\b(?:seit|nach|über|fast|gut|schon)? ?(?:\d{1,2}|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|fünfzehn|zwanzig|dreißig) jahren? (?:\w+ )?(?:erfahrung|lang|als|mit|in|gemacht|entwickelt|programmiert|geschrieben)\b|\b(?:erst )?seit (?:\d{1,2}|einem|zwei|drei|vier|fünf|ein paar|weihnachten|kurzem) ?(?:jahr|jahren|monat|monaten|wochen)?\b(?=.*\b(?:ich|programmier|entwickl|mach|lern)\w*)|\b\w+ (?:zwanzig|zehn|fünfzehn|dreißig|\d+) jahre\b", unless=r"\b(?:daten|logs|server|fehler|system|tabelle)\b"),
    form("ich kenne mich aus", r"\b(?:kenn|kenne) (?:ich )?mich (?:\w+ ){0,3}(?:aus|nicht|gut|kaum|wenig)\b|\bkenn(?:e)? ich mich\b|\bhab(?:e)? ich (?:nie|kaum|noch nie|keine erfahrung|keine ahnung)\b(?=.*\b(?:gelernt|gemacht|benutzt|programmiert|von|mit|studiert)\b)|\bich (?:kann|habe|hab|verstehe|spreche) (?:\w+ ){0,3}?(?:kein|keine|wenig|kaum|nie|noch nie|keine erfahrung|nicht viel)\b(?=.*\b(?:erfahrung|ahnung von|gelernt|benutzt|programmiert|gemacht|deutsch|englisch|frontend|backend|java|python|rust|go)\b)|\bmein (?:hintergrund|fachgebiet|beruf|spezialgebiet|steckenpferd)\b|\bmeine (?:muttersprache|stärke|schwäche)\b", unless=r"\bwarum\b|\bwas (?:das|hier)\b"),
    form("erklär mir", r"\b(?:erklär|beschreib|vergleich)\w* (?:mir |es |das )*(?:bitte )?.{0,30}\b(?:wie für|anhand|mit begriffen|am beispiel|einfach|ausführlich|langsam)\b|\bkannst (?:du )?(?:bei mir )?voraussetzen\b"),
)  # fmt: skip
EVENT = (
    form("termin", r"\b(?:\w*freeze|release|deadline|termin|abgabe|frist|audit|revision|prüfung|demo|vorführung|umzug|zieht|umzieh\w*|abgeschaltet|abschalt\w*|eingefroren|gesperrt|live|launch|start\w*|beginnt|endet|läuft aus|ausläuft|läuft (?:[\w-]+ ){1,5}(?:ab|aus)|abläuft|kündig\w*|gekündigt|wartung\w*|umstell\w*|umgestellt|umstieg|migration|migrier\w*|wechsel\w*|ablös\w*|abgelöst|"
         r"eingestellt|geht offline|geht live|kommt|übergabe|auslieferung|abnahme|konferenz|\w*konferenz|messe|verschoben|verlegt|bis dahin|bis|keine deployments?|keine releases?|nur noch|darf|dürfen|müssen|muss|fertig|steht an|inventur|zertifizierung|betriebsferien|jahresabschluss|vertrag|lizenz|schulung|abgenommen|stichtag|go-live|urlaub|feiertag)\b"),
)  # fmt: skip
DECISION = (
    form("wir machen das weil", r"\bwir (?:bauen|schreiben|stellen|migrieren|ersetzen|werfen|lösen|trennen|ziehen) .*\b(?:weil|da|wegen|aufgrund)\b|\b(?:rechtsabteilung|datenschutz|revision|der kunde|compliance|die bank|der betriebsrat|buchhaltung) (?:verlangt|fordert|will|besteht|erlaubt|braucht)\b|\bwir haben (?:uns )?(?:entschieden|beschlossen|geeinigt)\b", unless=r"\?"),
)  # fmt: skip
POINTER = (
    form("liegt in", rf"\b(?:liegt|liegen|steht|stehen|ist|sind|findest|findet|findet sich|landen|landet|läuft|laufen|hängt|gibt es|gibt's|dokumentiert|gepflegt|gesammelt|erfasst|verwaltet|abgelegt|getrackt|gemeldet|besprochen|kommen|kommt|gehen|geht|führen wir|stell\w*|frag\w*|schau\w*|melde\w*)\b.{{0,40}}\b(?:in|im|auf|unter|bei|über|am|an|ins|zu)\b.{{0,24}}{PLACE}",
         unless=r"\?|\bfehler (?:ist|liegt) (?:in|im) (?:parser|code|zeile)|\bwo \w+\b|\b(?:gestern|gerade|jetzt)\b|\bich bin\b|\bkaputt\b"),
    form("geht an jemanden", r"\b(?:fragen|anfragen|änderungen|freigaben|alles|probleme|fehler) (?:zu[mr]?|über|rund um|bei|wegen) [^,.?]{2,40}? (?:gehen|geht|bitte) (?:immer |nur |direkt )*(?:an|über|zu) \w+|\b(?:ansprechpartner\w*|zuständig|verantwortlich) (?:für|bei) [^,.?]{2,40}? ist \w+", unless=r"\?"),
    form("dashboard", rf"\b(?:dashboard|doku|dokumentation|metriken|logs|tickets|fehler|runbook|board|kanal|liste|tabelle|handbuch|kalender|protokolle?|anleitung|spezifikation|entwürfe)\b.{{0,30}}(?::|\bunter\b|\bauf\b|\bist\b|\bin\b|\bim\b).{{0,20}}{PLACE}", unless=r"\?|\bwo\b|kaputt|\bgestern\b"),
)  # fmt: skip
APPROVAL = (
    form(
        "richtig so",
        r"\b(?:gut so|richtig so|genau so|gute (?:idee|entscheidung|wahl)|war richtig|das war gut|gefällt mir|sehr gut|perfekt|super|prima|so ist es gut|so mag ich)\b",
    ),
)
KEEP_ON = (
    form(
        "weiter so",
        r"\b(?:weiter so|immer so|auch (?:bei|für) (?:den|die|alle|andere)|mach (?:das|es) (?:weiter|immer|künftig|in zukunft|auch|ab jetzt)|so (?:bitte )?(?:immer|künftig|weiter|beibehalten|lassen)|in zukunft (?:auch )?so|ab jetzt (?:immer )?so|beibehalten)\b",
    ),
)
REVOCATION = (
    form("nicht mehr", r"\b(?:nicht mehr|kein(?:e|en)? .{0,20}mehr|hinfällig|überholt|veraltet|erledigt|abgeschafft|gilt nicht|aufgehoben|vorbei|gestrichen|abgeschaltet|abgelöst|ersetzt|umgezogen|umgestellt|gewechselt)\b"),
    form("vergiss das", r"\b(?:vergiss|lösch|streich|wirf|verwirf|entfern|änder|korrigier|nimm)\w* (?:bitte |mal |ruhig )?(?:das|die|den|was|diese|dein|meine)\b|\bkann(?:st du)? (?:die notiz |das )?(?:weg|löschen|gelöscht)\b"),
)  # fmt: skip
RENEWAL = (
    form("jetzt", r"\b(?:jetzt|inzwischen|mittlerweile|seit \w+|neuerdings|nun)\b(?=.*\b(?:auf|in|im|bei|mit|über|an|läuft|laufen|ist|sind|nutzen|verwenden|machen|macht|geht|gehen|darf|dürfen)\b)"),
)  # fmt: skip
MOVED = (
    form(
        "verschoben",
        r"\b(?:verschoben|verschiebt|verlegt|vorgezogen|verlängert|geändert|jetzt (?:erst )?am|neuer termin|statt|rutscht|gerutscht|aufgeschoben)\b",
    ),
)
REASON = (
    form("weil", r"(?P<why>\b(?:weil|denn|da (?:wir|die|der|das|es|sonst|ich)|sonst|ansonsten|damit|wegen|aufgrund|grund:|deshalb ist|nämlich)\b)"),
    form("eigener satz", r"[,–-]\s*(?P<why>(?:das|es|damit|davon|dann|da|letztes|letzte|letzten|im (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)|jemand|niemand|wir (?:hatten|haben|mussten|sind)|(?:die |der )?(?:team|kunden|leute|nutzer|anwender|kunde|revision|buchhaltung))\b(?=.*\b\w+))"),
)  # fmt: skip
INCIDENT = (
    form(
        "passiert",
        r"\b(?:letztes (?:jahr|mal|quartal)|letzte woche|letzten \w+|damals|neulich|schon mal|einmal|im (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|sommer|winter|herbst|frühjahr)|vor (?:\w+) (?:jahren?|monaten?|wochen?|tagen?)|auf die nase gefallen|geknallt|schiefgegangen|ausgefallen|verloren|beschwerde|gab (?:es|das|letztes)|war .* weg|abgestürzt|kaputt gegangen|zurückrollen)\b",
    ),
)
BECAUSE_OF_PEOPLE = (
    form(
        "leute",
        r"\b(?:leute|kunden?|anwender|nutzer|team|niemand|keiner|jeder|immer|nie|revision|datenschutz|buchhaltung|lager|die (?:aus|im)|kostet|liest|lesen|ärger|auffällt|fällt)\b",
    ),
)
LATE_REASON = (
    form(
        "der grund",
        r"\b(?:der grund|deswegen|deshalb war|weswegen|warum ich|wegen (?:dem|der|den) .* (?:vorhin|eben)|zum hintergrund|zu (?:den|dem|der) .*:)\b",
    ),
)
CONSEQUENCE = (form("deshalb", r"^(?:und |ok )?(?:deshalb|daher|darum|also|deswegen|drum)\b"),)
MEANWHILE = (
    form("danach", r"^(?:und |aber )?(?:danach|ab dann|bis dahin|davor|in der zeit|währenddessen|solange|ab da|vorher|in dieser zeit)\b"),
)
NO_HEADING = r"\b(?:lint\w*|firewall|css|readme|implementier\w*|heute|prüf\w*)\b|\?"
HEADING = (
    form("regeln", r"\b(?:regeln|konventionen|vorlieben|grundsätze|ab jetzt|künftig|in zukunft)\b[^:]*:\s*$", unless=NO_HEADING),
)  # fmt: skip
HEADING_FACTS = (form("was zu merken ist", r"\b(?:merk\w*|notier\w*|für (?:die zukunft|später|dein gedächtnis))\b[^:]*:\s*$", unless=NO_HEADING),)  # fmt: skip
HEADING_WORK = (form("zu tun", r"^.{0,16}\b(?:schritte|todos?|plan|aufgaben|anforderungen|akzeptanzkriterien|kriterien|checkliste|fälle|testfälle|geschäftsregeln|änderungen|offen)\b[^:]{0,30}:\s*$"),)  # fmt: skip
THEREFORE = (form("deshalb", r",?\s*\b(?:deshalb|daher|darum|deswegen|also)\b"),)
WHENEVER = (form("immer wenn", r"\b(?:immer|wenn|sobald|nie|niemals|keine|ab jetzt|bevor)\b"),)
NAMED = (
    form(
        "x, nicht y",
        r"\b(?:nimm|nutze|nutz|benutz|verwende?|schreib) (?!den\b|die\b|das\b|dies\w*\b|ein\w*\b)[\w./@-]{2,},? (?:nicht|statt|und nicht|keine?n?) (?!den\b|die\b|das\b|dies\w*\b)[\w./@-]{2,}",
    ),
)
GENERIC = (
    form(
        "eine art",
        r"\b(?:keine|nie|nicht) (?:\w+ )?\w+(?:en|s|er)\b|\b(?:in|für|bei|mit) (?:allen |\w+)?(?:tests|commits|mails|meldungen|produktion|migrationen|kommentaren|skripten|code)\b",
    ),
)
APPLY = (
    form("gilt", r"\b(?:nimm|stattdessen|gilt|auch für|überall|in allen|bei allen|für alle|immer wenn|wenn du|dafür|verwende|benutz)\b"),
)
SHIFT = (
    form(
        "sonst noch",
        r"^(?:ok|gut|super|danke|passt|übrigens|außerdem|noch (?:was|eine sache)|nächstes thema|so,|jetzt|dann|ach ja|ach so|achso|und jetzt|weiter|commit|push|moin)\b",
    ),
)
TASK = (
    form("mach jetzt", r"^(?:(?:ok|bitte|und|jetzt|dann|also|kannst du|könntest du|mach|nur|noch|gut|danke|super)[,:]? )*(?:füg|setz|lösch|benenn|prüf|schau|zeig|starte|lauf|commit|push|bau|änder|fix|mach (?:das|den|die|mal|du|weiter|erst)|teste|such|erklär|sag|gib|erstell|formatier|entfern|führ|fass|lass|rufe?|kopier|spiel|lad|installier|verschieb|reparier|korrigier|ergänz)\w*\b(?!-)"),
    form("ich mach", r"\b(?:ich (?:mach|schau|guck|werde|teste|gehe|muss|probier)\w*|machen wir|lass uns|mach ich|schau ich|guck ich)\b"),
)  # fmt: skip
POINTING = (form("das", r"\b(?:das|dies|dieser|diese|dieses|es|so|dabei|damit|dort)\b"),)
ASKING = (
    form("fragezeichen", r"\?[)\"']*\s*$", unless=r", ?(?:ok|ja|okay|bitte|klar|verstanden|gut)\s?\?\s*$|^(?:kannst|könntest) du (?:bitte )?(?:aufhören|immer|nie|künftig)"),
    form("sag ob", r"^(?:(?:bitte|und|ok|also)[,:]? )*(?:sag|erklär|prüf|schau|check|frag|klär|find)\w*(?: \w+){0,2},? (?:ob|warum|wieso)\b|\b(?:weiß nicht|wissen|unklar|frage mich|frage ist),? (?:ob|warum)\b", unless=r"\b(?:bevor|jedes mal|jedesmal|immer wenn)\b"),
    form("frage", r"^(?:(?:und|aber|ok|also|ach|sag mal)[,:]? )*(?:warum|wieso|weshalb|wie|wo|wer|wann|was (?:ist|macht|sind|passiert|war|heißt|kostet|bedeutet)|welche[rs]?|soll(?:en|te|ten)? (?:wir|ich|man)|ist (?:das|es|der|die)|sind (?:das|die)|hat (?:das|der|die|es)|kann (?:man|das|ich)|gibt es|muss (?:man|das|ich)|darf (?:man|ich)|machen wir|haben wir)\b"),
)  # fmt: skip
HYPOTHETICAL = (
    form(
        "vielleicht",
        r"\b(?:vielleicht|eventuell|evtl|falls wir|wenn wir (?:mal|je|irgendwann)|irgendwann|könnte|könnten|würde|würden|wäre|wären|hätte man|angenommen|mal angenommen|theoretisch|womöglich|möglicherweise|überlege|was wäre|sollten wir (?:nicht )?)\b",
        unless=r"\bich hätte (?:gern|lieber)\b",
    ),
)
SARCASM = (
    form(
        "ironie",
        r"\b(?:ja klar|na klar|na toll|super idee|tolle idee|ganz toll|haha+|hihi|lol|als ob|wer braucht schon|na wunderbar|spitze gemacht|scherz|spaß|nicht ernst gemeint|kein ernst)\b|🙄|😂|;-?\)",
    ),
)
TEMPORARY = (
    form(
        "erstmal",
        r"\b(?:erstmal|erst mal|vorerst|vorläufig|für den moment|im moment|momentan|diesmal|dieses mal|ausnahmsweise|nur (?:heute|diesmal|jetzt|kurz|einmal|für diese[ns]?|hier)|heute|jetzt (?:noch )?nicht|noch nicht|gerade|gleich(?! (?:für immer|mit\b))|später|in diesem (?:pr|commit|branch|fall)|provisorisch|zwischenzeitlich|übergangsweise)\b",
        unless=r"\bab heute\b|\bnicht gleich\b",
    ),
)
REPORTED = (
    form("nie gesagt", r"\b(?:ich|wir|er|sie|niemand) (?:hab|habe|haben|hat)\b(?: \w+){0,2} (?:nie|niemals|nicht|nirgends) (?:\w+ )?(?:gesagt|behauptet|gemeint)\b|\bniemand hat (?:gesagt|behauptet)\b|\bes stimmt nicht, dass\b"),
    form("jemand sagt", r"\b(?!ich\b|du\b|wir\b)(?:\w+) (?:sagt|sagte|meint|meinte|findet|fand|denkt|glaubt|behauptet|schreibt|schrieb|schlägt|will dass|möchte dass|empfiehlt|fordert)\b(?!.*\b(?:recht|stimmt)\b)", unless=r"\bwie ich\b|revision|datenschutz"),
    form("ein text sagt", r"\b(?:im|in der|in dem|laut|lt\.?|das|die|der) (?:ticket|readme|doku|dokumentation|mail|kommentar|fehlermeldung|log|artikel|blog|buch|spezifikation|handbuch|wiki|linter)\b.{0,20}\b(?:steht|sagt|stand|empfiehlt|heißt|schreibt|verlangt|zufolge)\b|\b(?:laut|angeblich|anscheinend|ich hab gelesen)\b"),
)  # fmt: skip
WITHDRAWN = (
    form(
        "vergiss es",
        r"\b(?:vergiss (?:es|das)(?! nicht)|egal|doch nicht|nein doch|schon gut|lass (?:es|gut sein|mal)|ach nein|quatsch|war (?:nur |doch nur )?(?:ein )?(?:witz|scherz|spaß)|hat sich erledigt|nehme ich zurück|nehm ich zurück|ignorier das|streich das|moment, nein)\b",
    ),
)
KEPT_OUT = (form("kept out", r"\bnichts (?:über|zu|von) [^.?!]{2,40}\b(?:gedächtnis|notizen|memory)\b"),)
PRIVATE = (
    form(
        "nicht speichern",
        r"\b(?:nichts|nicht|kein\w*)\b[^.?!]{0,50}\b(?:ins?|in dein\w*|im) (?:gedächtnis|notizen|memory)\b|\b(?:nicht (?:speichern|merken|notieren|aufschreiben|festhalten)|(?:merk|speicher|notier|schreib)\w* (?:dir )?(?:das|dies|es) (?:bitte |aber )?nicht|unter uns|vertraulich|bleibt unter uns|behalt(?:e)? (?:das|es) für dich|inoffiziell)\b",
    ),
)
ORDER_UNTIL = (form("bis dahin", r"\b(?:bis|vorher|davor|danach|alles|nichts|immer|nie|nur)\b"),)
ORDER_TAIL = (
    form(
        "und jetzt mach",
        r"[,;]\s*(?:bitte |also |dann )*(?:lösch|entfern|änder|fix|füg|benenn|zeig|bau|schau|mach|korrigier)\w* (?:es|das|die|den|sie|ihn|mal|mir|bitte)\b[^,.]*\W*$",
    ),
)
DICTATED = (
    form(
        "zu schreiben",
        r"^(?:(?:bitte|und|dann|jetzt|ok)[,:]? )*(?:schreib|füg|übersetz|setz|antworte|poste|zeig|formulier|ergänz|nenn|ändere?)\w* [^:]{0,60}:\s|^(?:titel|text|betreff|fehlertext|beschreibung|user story|anforderung)\b[^:]{0,20}:\s",
        unless=r"\bnotizen\b|\bmerk|\bschreibe? (?:dir|euch)\b",
    ),
)
SECRETS = (
    form(
        "passwort",
        r"\b(?:passwort|kennwort|api[- ]?key|zugangsdaten|schlüssel)\b(?=.*\b(?:ist|lautet|liegt|steht|geändert|:)\b)",
        unless=r"\b(?:nie|niemals)\b",
    ),
)
JUDGING = (
    form(
        "urteil",
        r"\b(?:er|sie|der kollege|die kollegin|der chef|\w+) (?:ist|war|sind) (?:echt |so |einfach |total |völlig |zu |leider |immer )*(?:ein(?:e)? )?(?:idiot|depp|faul|unfähig|nutzlos|ahnungslos|schlampig|nervig|dumm|blöd|zu langsam|unzuverlässig|inkompetent)\b|\bhat keine ahnung\b",
    ),
)
NOTES = (
    form(
        "notizen",
        r"\b(?:(?:deine|meine|unsere|die|diese) (?:notiz|notizen|regel|erinnerung|vorgabe)|laut (?:den |meinen |deinen )?notizen|wie (?:notiert|besprochen|vereinbart|gehabt|vorher)|wie du (?:gesagt|wolltest)|gemäß|in meinen notizen)\b",
    ),
)
LEAD_IN = re.compile(
    r"^(?:(?:ok|okay|gut|danke|super|ja|nein|ach|ach ja|übrigens|und|aber|also|so|noch was|außerdem|bitte(?= (?:nie|keine|immer|alle|ab))|passt|merk dir(?: (?:das|bitte|gleich|mal|für immer|gut|noch))*|merke dir|zur info|wichtig|generell gilt|moin)(?:[,:!.]+\s*|\s+)|\(\s*)+"
)

SPEECH = Speech(
    remember=REMEMBER, inform=INFORM, standing=STANDING, norms=NORMS, correction=CORRECTION, person=PERSON, event=EVENT, decision=DECISION, pointer=POINTER,
    approval=APPROVAL, keep_on=KEEP_ON, revocation=REVOCATION, renewal=RENEWAL, moved=MOVED, reason=REASON, incident=INCIDENT, because_of_people=BECAUSE_OF_PEOPLE,
    late_reason=LATE_REASON, consequence=CONSEQUENCE, meanwhile=MEANWHILE, heading=HEADING, heading_facts=HEADING_FACTS, heading_work=HEADING_WORK, therefore=THEREFORE, whenever=WHENEVER, named=NAMED, generic=GENERIC, apply=APPLY, shift=SHIFT, task=TASK, pointing=POINTING, asking=ASKING, hypothetical=HYPOTHETICAL,
    sarcasm=SARCASM, temporary=TEMPORARY, reported=REPORTED, withdrawn=WITHDRAWN, private=PRIVATE, kept_out=KEPT_OUT, order_until=ORDER_UNTIL, order_tail=ORDER_TAIL, dictated=DICTATED, secrets=SECRETS, judging=JUDGING, notes=NOTES, lead_in=LEAD_IN,
)  # fmt: skip
