"""English forms of speech: what belongs to a lasting sentence, and what ends or spoils it. See ``forms``."""

from __future__ import annotations

import re

from extractord.agent.offline.forms import form
from extractord.agent.offline.forms_en_words import CRAFT

IMPERATIVE = r"use|keep|put|write|ask|run|never|always|not|and|or|please|just|no|only|don't|poll|add|then|so|even|especially|instead|rather|also|both|start|make|leave|call|name|pick|take|go|do"
FINITE = (
    r"(?:\w{2,}[^e\W]ed|is|are|was|were|has|have|had|can't|cannot|won't|don't|doesn't|didn't|can|will|would|went|came|got|get|gets|broke|lost|took|made|cost|costs|froze|fell|hid|ate|blew|hit|hurt|kept|led|left|gave|told|found|spent|bit|sent|ran|"
    r"breaks?|depends?|needs?|wants?|takes?|makes?|does|goes|runs?|reads?|counts?|rejects?|relies|rely|expects?|chokes?|drown|trips?|walks?|fails?|parses?|uses|wipes?|kills?|hides?|reindexes|drops?|deploys?|auto-deploys|misses|matters?|loses?|locks?|blocks?|leaks?|"
    r"confuses?|knows?|looks?|comes?|lives?|means|turns?|vanish(?:es)?|disappears?|sorts?|ignores?|strips?|truncates?|rounds?|treats?|requires?|complains?|reviews?|checks?|watch(?:es)?|scans?|launch|ends?|wrecks?|reach(?:es)?|bill(?:s|ed)?|charges?|pays?|sees?|speaks?|understands?|works?|hates?|likes?|loves?|greps?|diffs?|pastes?|prints?|copies|copy|filters?|caches?|indexes|flags?)"
)
REASON = (
    form("because", r"(?P<why>\b(?:because|cause|cuz|coz|since(?! (?:\d{4}|yesterday|monday|tuesday|wednesday|thursday|friday|january|february|march|april|may|june|july|august|september|october|november|december|last|this morning|then|uni|college|school|when|christmas|summer|winter|spring|we moved))|otherwise|or else|due to|given that|seeing (?:that|as)|so that|as otherwise|the reason (?:is|being)|reason:|reason being|thanks to)\b)"),
    form("that's why", r"(?P<why>\b(?:that's|thats|which is) (?:why|how|because|what)\b)"),
    form("a clause of its own", rf"(?:,|\s[-–—])\s*(?P<why>(?:but )?(?:(?:we're|we've|we'd|it's|they're|it|they|that|this|those|these|there|you|i|he|she|nobody|no one|somebody|someone|everyone|everybody|people|half|most|each|every|our|my|their|last (?:time|year|month|week|quarter|summer|winter|spring|fall|autumn)|once|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|20\d\d)|we (?!don't merge|never|always|use|only|prefer|write|keep|put|call|rebase|squash|diff))\b|(?:the|our|my|their|his|her|some|these|those|most) (?!\w+ (?:is|are) what)[\w-]+ [\w-]+|(?!(?:{IMPERATIVE})\b)(?:[\w./'-]+ ){{1,5}}?{FINITE}\b))"),
)  # fmt: skip
INCIDENT = (
    form("it happened", r"\b(?:last (?:time|year|month|week|quarter|summer|winter|spring|fall|autumn|sprint|release|friday|monday|tuesday|wednesday|thursday|january|february|march|april|may|june|july|august|september|october|november|december)|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|the past|20\d\d)|once|twice|one time|a (?:year|month|week|while|few \w+) ago|back (?:in|then|when)|before|previously|years ago|already had|the other (?:day|week)|recently|earlier this)\b(?=.*\b(?:\w+ed|was|were|had|got|lost|broke|went|took|cost|blew|hid|came|made|did|fell|bit|burnt|spent|found|paid|sent|ran|hurt|woke|couldn't|brought|shut|ate|hit|threw|wrote|deleted)\b)"),
    form("it happened then", r"\b(?:you|we|they|somebody|someone|it) (?:\w+ ){0,2}(?:\w+ed|lost|broke|went|took|cost|blew|hid|made|did|got|sent|ran|hit|threw|wrote|forgot|shipped|had)\b.*\b(?:last (?:time|year|month|week|quarter|summer|winter|spring|fall|autumn|sprint|release)|twice|once|the other (?:day|week)|yesterday|in (?:january|february|march|april|may|june|july|august|september|october|november|december))\b"),
    form("something gave way", r"\b(?:hung|broke|crashed|failed|lost|leaked|froze|corrupted|blew up|burned|overflowed|timed out|went down|fell over|swallowed|deleted|overwrote|leaked|double[- ](?:billed|charged|posted|counted))\b.*\b(?:last (?:time|year|month|week|quarter|summer|winter|spring|fall|autumn|sprint|release)|in (?:prod(?:uction)?|january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)|twice|once|on (?:customers|users)|for (?:days|weeks|hours|months))\b"),
    form("we paid for it", r"\b(?:we|i|they|it|that|ops|somebody|someone|two people|people|half the team|the team|customers?|users?|finance|legal|support|prod|production) (?:\w+ ){0,3}(?:lost|got|had (?:to|an?|the|this|a \w+|\w+ (?:\w+ing|down|broken|dead|lost|missing))|were|was|spent|paid|broke|blew up|went down|missed|rolled back|took (?:us|down|out|prod)|cost us|brought down|woke|leaked|burned|burnt|suffered|complained|flagged|rejected|deleted|overwrote|charged|fined|bit us|hit us|hurt|ended up|wiped|dropped|shipped|never noticed|corrupted|failed|passed)\b|\b(?:made|kept|caused|cost)\b.*\b(?:for (?:\w+ )?(?:months|weeks|days|hours|years)|an? (?:day|week|month|fortune))\b|\b(?:cost us|bit us|burned us|burnt us|took us down|blew up|brought (?:us|prod|production|everything|the \w+) down|outage|brownout|incident|post ?mortem|rolled back|rollback at|been burned|got burned|got bitten|got paged|got throttled|paged at)\b|\b(?:we|i) (?:had|used|tried|ran) (?!to\b)[^,.]{2,40} (?:and|but|until) (?:it|its|that|they|every|the|then|all|one|two|half|nobody|somebody)\b|\b(?:gave|returned|produced|showed|computed|sent) (?:us |people |customers |users )?(?:the )?(?:wrong|bad|broken|stale|garbage|half|duplicate|double)\b|\bhad (?:been )?(?:already )?(?:filed|rejected|restored?|to (?:restore|roll|revert|rewrite|apologi[sz]e|redo|explain))\b"),
)  # fmt: skip
BECAUSE_OF_PEOPLE = (
    form("people and habits", r"\b(?:every|each|always|never|nobody|no one|everyone|everybody|people|customers?|users?|partners?|vendors?|suppliers?|product|marketing|sales|qa|devs|newcomers|new (?:starters|folks|people|hires)|reviewers?|ops|legal|finance|support|the team|folks|colleagues?|auditors?|billed|costs?|paid|pays|rate limit|license|contract|policy|compliance|security|privacy|gdpr|that's (?:how|what|why)|they (?:\w+ )?(?:read|use|need|count|parse|rely|depend|want|can't|don't|bill|charge)|we(?:'re| are) trying|i (?:can|read|need|have to|don't|lose|review|always)|\bour\b|my (?:laptop|review|eyes|screen|machine|ide)|the (?:people|bot|generator|ci|pipeline|port|bank|vendor|partner|regulator|parser|release|changelog|deploy|other|next|provider|whole)|the (?:\w+ ){1,2}(?:team|people|folks|system|department|bot|job|generator|office|guys))\b"),
)  # fmt: skip
LATE_REASON = (
    form("the reason i said so", r"\b(?:the )?reason (?:i|why i|we|for (?:the|that|my)|was|is|being)\b|\b(?:that's|thats|which is) why(?: (?:i|we)\b|\W*$)|\bwhy i (?:said|asked|insist|care|was|am)\b|\b(?:about|regarding|re) the\b.{3,40}(?:earlier|before|:)|\bi (?:said|asked|insisted|insist|was so|am so)\b.*\bbecause\b|\bin case you (?:wonder|wondered)\b|\bbackground\s?:|\bto explain\b|^(?:(?:ok|cool|right|ah|btw|and|yes|yeah|well|oh|fine|good|great)[,.]? )*(?:it's|its|that's|it is|that is|just|only)? ?because\b|\babout (?:the|that|my|your)\b.{3,40}:"),
)  # fmt: skip
CONSEQUENCE = (
    form("so", r"^(?:and |ok |okay )?(?:so|hence|therefore|that's why|thats why|which is why|thus|for that reason|because of that)\b"),
)
MEANWHILE = (
    form("after that", r"^(?:and |so |but )?(?:(?:after|from|until|till|before|by|during|in) (?:that|then|this time|that (?:time|date|day|point|week|month))\b|afterwards?\b|thereafter\b|in between\b|from there on\b)"),
)  # fmt: skip
HANDED_LIST = (
    form("to be worked off", r"^(?:\W*(?:the|my|our|some|a few|next|remaining|open|new) )*(?:\w+ )?(?:steps?|to-?dos?|plan|tasks?|requirements?|acceptance criteria|criteria|ac|checklist|scope|behaviou?rs?|(?:test |edge )?cases|business rules|validation rules|spec(?:ification)?|stories|features|changes|fixes|bugs|issues|agenda|backlog|release notes|changelog)\b[^:]{0,40}:\s*$"),
)  # fmt: skip
NO_HEADING = r"\b(?:release|patch|meeting|lint\w*|eslint|ruff|business|validation|firewall|css|implement|add|write|put|readme|docs?|ticket|spec|checks?|today|now|this (?:pr|branch|task|change))\b|\?"
HEADING = (
    form("on an occasion", rf"^(?:and |also |btw |ok |please )*(?:(?:when(?:ever)?|before|if) (?:you|we) (?!are\b|have\b|were\b|want\b)\w+(?: \w+){{0,4}}|(?:for|in) (?:all |our |your |any )?(?:\w+ )?{CRAFT}):\s*$", unless=r"\b(?:this|that|the|these|those|now|today)\b"),
    form("rules", r"\b(?:going forward|from now on|next time|(?:for|in) (?:the )?future(?= commits| prs| changes| code|\W*$)|(?:rules|conventions|preferences|guidelines|principles)|how (?:i|we) (?:work|like (?:it|things)))\b[^:]*:\s*$", unless=NO_HEADING),
)  # fmt: skip
HEADING_FACTS = (form("to know", r"\b(?:remember|keep in mind|(?:for|in) (?:the )?future|(?:notes?|things|facts) (?:for|to|about|that|you|on|in) .*(?:you|remember|know|memory|repo|project|codebase|here|working with me|next)|(?:to|for|in) (?:your |the )?(?:memory|notes))\b[^:]*:\s*$", unless=NO_HEADING),)  # fmt: skip
THEREFORE = (form("so", r",?\s*\b(?:so(?! that\b| far\b| much\b| many\b| you know)|hence|therefore|that's why|thats why|which is why)\b"),)
WHENEVER = (
    form(
        "whenever",
        r"\b(?:whenever|every time|each time|any time|when(?:ever)? you|if you|if (?:something|anything|someone)|before you|after you|for (?:all|every|any)|as a rule|in general|next time|going forward|when (?:a|an|something|there)|prefer|never|don't|dont|do not|always|from now on|in future|in the future|no (?:\w+ )?\w+s\b)\b",
        unless=r"\bfrom now on\b.*\b(?:it|them)\b",
    ),
)
NAMED = (
    form("x, not y", r"\b(?:use|prefer|write|say|take|import|go with|stick (?:to|with)) (?!the\b|this\b|that\b|a\b|an\b|my\b|our\b|your\b|one\b|it\b|these\b|those\b|\d)[\w./@-]{2,}(?: \w+)?,? (?:not|instead of|rather than|over|never) (?!the\b|this\b|that\b|a\b|an\b|my\b|it\b|here\b|there\b|\d)[\w./@-]{2,}", unless=r"\b(?:here|there|this (?:file|test|line|function|one|time))\b"),
    form("no, x not y", r"^(?:(?:no|nope|nah|hey|hm+|wait|sorry)[,.]? )+(?!the\b|that\b|this\b|it\b|i\b|we\b|you\b|\d)[\w./@-]{3,}(?: \w+)?,? not (?!the\b|that\b|this\b|\d)[\w./@-]{3,}\W*$"),
    form("no x, y", r"\bnot? (?!the\b|this\b|that\b|it\b|\d)[\w./@-]{3,}(?: \w+)?, (?:use|take|write|say) (?!the\b|this\b|that\b|a\b|an\b|it\b|\d)[\w./@-]{3,}", unless=r"\b(?:here|there|this (?:file|test|line|function|one|time))\b"),
)  # fmt: skip
GENERIC = (
    form(
        "a kind of thing",
        rf"\b(?:don't|do not|dont|avoid|no|never|not) (?:\w+ (?:(?!the\b|this\b|that\b|it\b|these\b|those\b|my\b|your\b|them\b|him\b|her\b|me\b|us\b|here\b|there\b|a\b)\S+ ){{0,2}}(?!this|yes)\w+s\b|\w+ (?:new |default |global |raw |real )\w+)|\b(?:in|for|from|into|on|outside|against|with) (?:all |any |every |new |our |unit |integration |production )*(?:{CRAFT}|prod(?:uction)?|handlers|components|new code|production)\b|\b(?:api|sandbox|prod(?:uction)?|everywhere)\b|\w+s only\b|^(?:and |also |btw |oh )?(?:(?:all|our|new) )?(?:\w+ )?(?:names|messages|msgs|titles|branches|codes|tests|files|commits|prs|keys|ids|logs|versions|tags|releases|migrations|comments|scripts|fixtures|labels|docs|tickets) \w+\b|\b(?:in|for|with) your (?:commands?|answers?|replies|explanations|commits?|messages|code|diffs?|summaries)\b",
    ),
)
APPLY = (
    form("where it holds", r"\b(?:what (?:you|we|to) (?:should )?use|(?:goes|holds|applies|counts) (?:for|to|in|everywhere)|only for|same (?:for|goes)|also for|use (?:the|a|an|that|those)\b|instead|rather|everywhere|in (?:all|every|any) |for (?:all|every|any) |whenever|when you|if you|when (?:a|an|the|there|something))\b"),
)  # fmt: skip
SHIFT = (
    form("another subject", r"^(?:ok|okay|k|alright|right|good|great|nice|cool|fine|perfect|thanks|thx|ty|anyway|anyways|now|next|back|btw|by the way|also|oh(?: and)?|ah|another thing|one more|last one|last thing|moving on|other than that|apart from that|separately|unrelated|and now|then|meanwhile|wait|hm+|yes|yep|yeah|no worries|np|commit(?! (?:messages?|msgs?)\b)|push|ship)\b[ ,.:!]?(?!.*\b(?:reason|because)\b)"),
)  # fmt: skip
TASK = (
    form("do it now", r"^(?:(?:ok|okay|and|so|now|please|pls|then|also|but|just|great|good|yes|no|right|cool|btw|can you|could you|would you|will you|can we|let's|lets|go ahead and|for this|next|oh|wait|still)[,:]? )*(?:add|set|parse|make|fix|run|rerun|re-run|check|create|change|update|rename|move|delete|remove|open|look|find|list|print|put|schedule|try|commit|push|deploy|release|revert|implement|refactor|build|generate|bump|replace|convert|explain|tell|give|finish|merge|start|stop|restart|bring|do|drop|kill|pull|show|write|test|trigger|upload|download|install|extend|sort|render|draw|return|display|log|reject|accept|insert|fill|save|send|mark|emit|wait|use|let|format|commit|continue|proceed|keep|leave|skip|undo|ignore|investigate|debug|document|draft|prepare|review|clean|compare|wrap|port|migrate|split|extract|inline|mock|plot|compute|count|measure|treat|reset|export|import|backfill|archive|tag|rebase|cherry-pick)\b(?! (?:freezes?|windows?|deadline|dates?|is|was|are|has|moved|moves|got|gets|starts?|begins?|ends?|notes|trains?|engineering|goes|of the|will|people|team|requests?|messages?|msgs?|names?|candidate|conflicts?)\b)"),
    form("for the occasion", r"^(?:ok |and |so |but )*for (?:the|this|that) [^,]{2,30}? (?:just|please|simply) \w+"),
    form("i will", r"\b(?:i'll|i will|i'm going to|i am going to|let's|lets|gonna|we'll (?:look|see|talk|check|do (?:it|that)|continue)|i'd do|i can do|i want to|i need to|i'll be|remind me|let me)\b"),
)  # fmt: skip
POINTING = (
    form("this", r"\b(?:this|that|it|these|those|them|like that|this way|that way|the same|so|such|thats|one|here|there)\b"),
)  # fmt: skip
ASKING = (
    form("question mark", r"\?[)\"']*\s*$", unless=r"(?:[,.!]\s?|\s)(?:ok|okay|alright|please|got it|deal|understood|yes|clear|agreed|k|pls)\s?\?[)\"']*\s*$|^(?:\w+,? )?(?:can|could|would|will) you\b.*\b(?:in (?:the )?future|from now on|next time|going forward|every time)\b|^(?:\w+,? )?(?:can|could|would|will) (?:you|we) (?:please |just |maybe )*(?:stop|always|never|not|avoid|quit|remember|from now on|in future|keep in mind|make a note)\b"),
    form("inverted", r"^(?:(?:ok|okay|so|and|hm+|wait|also|btw|but|or|then|oh|ah|well|right|yes|no|sorry|quick question|question)[,:]? )*(?:(?:is|are|was|were|does|did|should|would|has|will|isn't|doesn't|shouldn't|wouldn't|can't|couldn't|aren't|won't) (?:it|this|that|there|the|we|you|i|they|he|she|any|a|an|my|our|all|every)\b|(?:can|could) (?:it|this|that|there|the|we|i|they|he|she|any|a|an|my|our)\b|(?:why|how|where|who|whose) (?:is|are|do|does|did|was|were|come|can|should|would|about|many|much|long|often|big|to)\b|what(?:'s| is| are| was| does| do| did| happens| happened| about| if| would| kind| other| else)\b(?!.* is that)|what (?:\w+ )?(?:do|does|did|is|are) (?:we|you|i|it|they)\b|do (?:we|they|i)\b|do you\b|have (?:we|you|they) |which (?:one|of|is|\w+ (?:is|are|do|does))\b|any (?:idea|chance|reason)\b|wonder(?:ing)? (?:if|whether|why)\b|where's\b|whats\b)",
         unless=r"^what (?:i|we) |can we please (?:stop|always|not)|can we (?:stop|agree)\b"),
    form("asks in the end", r"[,;] (?:what's|whats|what is|what (?:do|does|did|was|are)|how (?:many|much|do|does|is|can|long)|where (?:is|are|do|does)|where's|which one|why (?:is|are|do|does|can't)|is there|are there|do we|does it|can you|could you|am i|or not)\b[^,.]*$", unless=r"in (?:the )?future|from now on"),
    form("to be told whether", r"^(?:(?:ok|okay|so|and|now|please|pls|also|but|just|can you|could you|first)[,:]? )*(?:tell me|explain|check|find out|look up|see|verify|let me know|figure out|investigate|confirm|determine|say|ask \w+) (?:(?:to )?(?:me|us)[,:]? |again |quickly |once more )*(?:whether|if (?:we|it|this|that|there|they|i)|why|how come)\b|\b(?:want to know|like to know|need to know|don't know|do not know|unclear|question is|unsure|curious|asking(?: you)?|asked(?: you)?) (?:whether|if|why)\b", unless=r"\b(?:before you|whenever|every time|each time|next time)\b"),
    form("wondering", r"\bi(?:'m| am)? wonder(?:ing)?\b|\bdoes anyone\b|\bis that (?:right|true|so)\b|\bnot sure (?:if|whether|why|how|what)\b"),
)  # fmt: skip
HYPOTHETICAL = (
    form("if ever", r"\b(?:if we (?:ever|were|had|moved|did|would|used|switched|wanted)|if (?:i|you|they|it) (?:ever|were|had to)|suppose|imagine|assuming we|what if|would have|might|maybe|perhaps|possibly|could have|some ?day|one day|at some point|eventually|in theory|theoretically|hypothetically|probably should|should probably|we could|we can (?:also|always)|i could imagine|would be (?:nice|good|great|cool|better)|it'd be|thinking (?:about|of)|considering|toying|not decided|nothing decided|undecided|in a perfect world|ideally|wouldn't|would love|wish|as if|i think we (?:could|should)|let's say|say we|unless we ever|tbd|if so|up for debate|what would)\b", unless=r"\bcode maybe\b|\bmaybe (?:one|two|\d)\b|\bthat would have\b|\bpossibly (?:never|ever)\b|\bprefer\b"),
)  # fmt: skip
SARCASM = (
    form("mock consent", r"^(?:sure|oh sure|yeah sure|of course|by all means)[,:]? (?:let's|never|always|just|why|go ahead)\b"),
    form("mock praise", r"\b(?:yeah,? right|sure,? (?:let's|why not|because|go ahead and|just)|oh sure|oh great|oh wonderful|great idea|brilliant idea|genius|what could (?:possibly )?go wrong|because who needs|who needs|as if|thanks a lot|lol|lmao|rofl|haha+|hehe|just kidding|jk|kidding|/s\b|not\s*!\s*$|ha ha|of course not|obviously not|why not just|🙄|😂|🤣|;-?\)|:-?p\b|yay|hooray|how about never|don't take (?:that|this|it|me) (?:too )?seriously|(?:i'm|just|only) joking|joke aside|touch a keyboard|hold my beer|living the dream)|^ha,|🙄|😂|🤣|😏|😅|/s\s*$"),
)  # fmt: skip
TEMPORARY = (
    form("for now", r"\b(?:for (?:now|the moment|the time being|today|tonight|this (?:one|pr|commit|branch|change|run|time|task|session|test|case|sprint|week|fix|release|review|upload)|once)|just (?:this once|for today|this time|today|for this|now)|this (?:once|time(?! for good)|one time|pr only)|only (?:this (?:time|once)|today|here|for this|in this (?:pr|file|test|branch))|temporar(?:y|ily)|at the moment|right now|one[- ]off|in the meantime|not (?:yet|now|today)|don't .{2,30} yet|no .{2,30} yet|while you're at it|later today|tonight|this afternoon|this morning|as a (?:hack|stopgap|quick fix|workaround)|quick and dirty|until (?:i|you|we) (?:\w+ )?(?:look|review|merge|fix|are|'re|am|get|have|decide|talk|know|say)|i'm in a hurry|no time|(?:while|when|as long as) (?:you|we)(?:'re| are)? (?:at|on|in|do|doing|make|making|work(?:ing)? on|chang\w+|fix\w*|writ\w+|mov\w+|port\w*|refactor\w*|renam\w+|touch\w*) (?:this|that|it)(?: (?:\w+ )?(?:refactor\w*|change|task|fix|pr|branch|rewrite|rename|feature|ticket|migration|cleanup|merge|rebase|review))?(?=[ ,:.!]*(?:$|[,:.!]|that\b|please\b|keep\b|don't\b))|(?:during|throughout|in|for the (?:rest|remainder|duration) of) (?:this|the current|today's) (?:\w+ )?(?:refactor\w*|session|chat|conversation|task|rewrite|rename|cleanup|merge|rebase|debugging)|while (?:i|you|we)(?:'m|'re| am| are) (?:still |at |on |busy )*\w+ing\b|\b(?:the|this|that) (?!reason\b|way\b)\w+ (?:you|we|i)(?:'m|'re| am| are) (?:currently |now |just )?(?:about to|(?:edit|chang|touch|mov|renam|refactor|look|debugg|fix|delet|remov|writ)ing)\b|\b(?:branch|pr|mr|diff|draft|build|job|container|rebase|merge) is (?:still|already|now|currently)\b|for the next (?:few |couple of |[\w-]+ )?(?:minutes?|hours?|steps?|commits?|prs?|runs?|turns?)\b|\b(?:this|it)(?:'s| is) (?:only|just|still) (?:a|an) (?:\w+ )?(?:spike|prototype|experiment|draft|demo|poc|hack|mock-?up|sketch|throwaway|try)\b|for the (?:rest|remainder) of (?:the|our) (?:session|day|chat|conversation|week|afternoon|morning|sprint)|until (?:i'm|i am|i get|we're) (?:back|done|finished)|in this (?:pr|commit|branch|run|session)|(?:in|from|for|of|inside|on) this (?:handler|function|method|component|endpoint|hook|query|loop|route|view|page|screen|modal|dialog|field|case|button)\b|meanwhile|first let's|we can change it later|later (?:we|i)|wait with)\b|\bnow\W*$"),
)  # fmt: skip
REPORTED = (
    form("never said", r"\b(?:i|we|he|she|they|nobody|no one|\w+) (?:did not|didn't|didnt|have not|haven't|has not|hasn't|never|don't|do not) (?:really |actually |ever )?(?:say|said|tell you|told you|claim|claimed|mean to say|meant to say|mean that|suggest|suggested)\b(?: that\b| you\b| we\b| to\b| (?:\w+ )?should\b|:| \w+ (?:must|should|have|had)\b)|\b(?:nobody|no one) (?:said|says|claimed|told|asked)\b|\bit(?:'s| is) not (?:true|the case|like|as if) (?:that )?"),
    form("somebody says", r"\b(?!i\b|ive\b|you\b|u\b|we\b|weve\b)(?:\w+) (?:says|said|thinks?|wrote|writes|claims?|claimed|suggests?|suggested|reckons?|insists|insisted|told|argues?|argued|believes?|recommends?|recommended|states?|warns?|asked|proposed|proposes|keeps saying|is convinced|would like|complains? that|means)\b(?! (?:to me|me to)\b)(?!.*\b(?:i agree|and (?:he|she|they)(?:'s| is|'re| are) right|rightly|which is true|so (?:from now|never|always|don't))\b)",
         unless=r"\bas i (?:said|told|wrote)\b|\bi (?:said|told|wrote|asked|insisted)\b|\b(?:legal|compliance|security|finance|ops|the (?:regulator|auditors?|bank|customer|client)) (?:says?|said|insists|wants)\b|\bwhen (?:somebody|someone|anybody|people) (?:says?|asks?|thinks?)\b"),
    form("as somebody says", r"\bas (?:(?:the|a|an|my|our|his|her|their) )?(?!i\b|we\b|you\b)[\w-]+ (?:would |will |always |used to |likes to |once |keeps? )?(?:says?|said|saying|puts? it|tells? us)\b", unless=r"\bas (?:\w+ )?(?:legal|compliance|security|finance|ops|regulators?|auditors?|bank|customer|client|law)\b"),
    form("you wrote", r"\b(?:this|that|here)(?:'s| is) what you (?:wrote|said|put|added|suggested)\b|\byou (?:wrote|said|claimed|put|had|have) ?(?:here|there|in the \w+)?\s?:"),
    form("a text says", r"\b(?:the )?(?:readme|(?:release |meeting |patch )?notes|roadmap|notice|banner|news(?:letter)?|docs?|documentation|article|blog|post|ticket|issue|error|log|linter|compiler|comment|book|paper|style ?guide|spec|manual|warning|message|mail|email|thread|forum|tutorial|guide|changelog|rfc|page|commit message|slide|pr|review)\b.{0,20}\b(?:says?|said|states?|recommends?|recommend|suggests?|tells?|reads|claims?|mentions|wants|demands|asks|goes|contains)\b|\baccording to\b|\bi (?:read|heard|saw) (?:that|somewhere|on|in|a|the)\b|\bfrom (?:the|a|their) (?:\w+ )?(?:ticket|paper|mail|email|docs?|readme|thread|article|comment|blog)\b|\b(?:apparently|supposedly|allegedly|they say|word is|rumou?r)\b|\bquot(?:e|ing)\b"),
)  # fmt: skip
WITHDRAWN = (
    form("never mind", r"\b(?:never ?mind|nvm|(?:i was|i'm|just|only) (?:just |only )?(?:kidding|joking)|(?:was|it's|that was) (?:just |only )?a joke|sc(?:ratch|rap) (?:that|it)|ditch (?:that|it)|bin that|forget i (?:said|asked|mentioned)|forget (?:it|that|about it|i said)|ignore (?:that|what i|my last)|disregard|on second thou?ght|i take (?:that|it) back|take that back|no wait|actually,? no|wait,? no|hold on,? no|drop (?:that|the|it)\b.{0,20}\b(?:idea|rule|thing|plan)?|don't do that rule|cancel that|not after all|my bad|i was wrong|strike that|changed my mind|let's not|leave it after all|undo that)\b"),
)  # fmt: skip
KEPT_OUT = (
    form("a subject kept out", r"\b(?:nothing|no \w+|none) (?:about|on|of|regarding|from) (?!this\W*$|that\W*$|it\b)[^.?!]{2,40}\b(?:memory|memories|notes)\b"),
)  # fmt: skip
PRIVATE = (
    form("not into memory", r"\b(?:no|not|nothing|never|don't|none|nowhere)\b(?! longer)[^.?!]{0,60}\b(?:go|goes|put|write|save|store|keep|note|record|gets?|ends? up|lands?|add|belongs?|memory about|memor(?:y|ies) of)\b[^.?!]{0,24}\b(?:your |the |to |into |in )(?:memory|memories|notes)\b|\bno (?:memory|memories|notes?) (?:about|of|on)\b|\bkeep [^.?!]{2,40} out of (?:your |the )?(?:memory|notes)\b|\bunder (?:an )?nda\b"),
    form("don't save that", r"\b(?:don't|do not|dont|never|please don't|no need to|you needn't|needn't) (?:\w+ )?(?:save|store|remember|memori[sz]e|record|keep|write|note|put|log|persist|mention|file) (?:that|this|it|any of (?:this|that)|down|anything|me|what i)\b(?!.*\b(?:in the (?:db|database|table|file|log|cookie)|to disk)\b)|\b(?:between us|between you and me|off the record|confidential(?:ly)?|in confidence|keep (?:that|this|it) to yourself|not for (?:your |the )?(?:notes|memory|record)|don't (?:put|write) (?:that|this|it) anywhere|dont (?:put|write|save) (?:that|this|it) anywhere|forget i (?:said|told|mentioned)|secretly|don't tell anyone|leave (?:that|this|it) out of (?:your |the )?(?:notes|memory)|keep (?:that|this|it) out of (?:your |the )?(?:notes|memory)|nothing (?:of|from) this (?:goes|belongs)|shouldn't be (?:saved|remembered|stored))\b"),
)  # fmt: skip
ORDER_UNTIL = (
    form(
        "until then",
        r"\b(?:until|till|before|by then|by that|then|anything|everything|whatever|nothing|no one|nobody|always|never|instead|meanwhile|from then)\b",
    ),
)
ORDER_TAIL = (
    form(
        "and now do it",
        r"[,;:.]\s*(?:so |then |please |and |just |can you |could you |now )*(?:delete|remove|drop|add|fix|rename|inline|convert|implement|find|give|show|write|move|change|check|look|turn|update|open|clean|follow|prorate|restore|replace|revert|sort|explain|compare|tell|try|help|walk|take|use|make|bring|put)\b(?: (?:it|them|that|some|one|me|those|these|accordingly|where|back|up|over)\b[^,.]*)?\W*$",
    ),
    form(
        "and now do it to that",
        r"[,;:]\s*(?:so |then |please |and |just |can you |could you |now )*(?:delete|remove|drop|add|fix|rename|inline|convert|implement|find|move|update|restore|replace|revert)\b (?:the|a|an|our|all)\b[^,.]*\W*$",
    ),
)
DICTATED = (
    form(
        "to be written",
        r"^(?:(?:ok|okay|and|so|now|please|pls|then|also|but|just|can you|could you|let's|go ahead and|btw|next)[,:]? )*(?:write|add|put|draft|translate|reply|post|document|insert|print|show|display|change|render|say|send|answer|respond|announce|include|paste|append|type|phrase|word|set|make|log|return|create|rephrase|reword|format)\b(?! (?:this|that|it) down)[^:]{0,70}:\s",
        unless=r"^[^:]{0,60}\b(?:your (?:notes|memory)|remember|a (?:mental )?note|down)\b[^:]*:|^(?:please )?(?:note|remember)",
    ),
    form(
        "a text's own label",
        r"^(?:the )?(?:user story|error (?:text|message)|title|label|text|subject|body|copy|spec|acceptance criteria|ac|requirements?|description|headline|caption|tooltip|placeholder|prompt|commit message|todo|comment|docstring|example|input|output|test case|given|scenario|feature|story|epic|button|email|mail|tweet|slogan|sentence)\b[^:.]{0,24}:\s",
    ),
    form(
        "as a user",
        r"\bas an? (?:\w+ )?(?:user|admin|customer|visitor|editor|manager|guest|developer|operator)\b,? i (?:want|can|need|should|would|must|may|am)\b|\bhow (?:do|would|can) (?:i|you|we) say\b",
    ),
)
SECRETS = (
    form(
        "a password",
        r"\b(?:password|passphrase|api[- ]?keys?|private key|access key|secret key|auth token|bearer token|pin code|credentials?)\b(?=.*\b(?:is|are|was|changed|for|in|:|=)\b)",
        unless=r"\b(?:never|don't ever|always|rotate|commit|log)\b",
    ),
)
JUDGING = (
    form("judges someone", r"\b(?:he|she|(?:our|my|the|this|that|their) (?:\w+ )?(?:intern|colleague|boss|manager|designer|devs?|developer|tester|pm|po|lead|guy|guys|dude|client|reviewer|architect|contractor|junior|senior|admin|consultant|predecessor|person|cto|director|analyst|team))(?:'s| is| are| was|'re) (?:such |just |simply |really |so |too |completely |totally |always |a bit |kind of |not exactly |not )*(?:an? )?(?:\w+ )?(?:useless|stupid|dumb|slow|a pain|unreliable|sloppy|terrible|awful|hopeless|annoying|bad|good at|no good|junior|the worst|drunk|insane|crazy|worthless|smart|competent|weak|difficult|impossible|messy|careless)\b|\b\w+(?:'s| is| are| was) (?:such |just |really |so |too |completely |totally |always |a bit )*(?:an? )?(?:\w+ )?(?:idiot|moron|lazy|clueless|incompetent|arrogant|toxic|paranoid|micromanag\w+|ass(?:hole)?)\b|\b(?:he|she|our \w+|my \w+) (?:has|have) no (?:clue|taste|idea)\b|\bwhoever (?:wrote|did|made)\b|\b(?:he|she) never (?:reads|listens|tests|answers|does|gets|writes)\b|\balways picks\b"),
)  # fmt: skip
NOTES = (
    form("your notes", r"\b(?:(?:your|my|our|the|that|this|those) (?:\w+ ){0,4}?(?:notes?|memory|memories|memo|reminder|rule|preference|instruction)s?\b|what i (?:said|told you)|i (?:said|told you)|as (?:noted|agreed|before|remembered|discussed|usual)|per (?:your|our|my|the) (?:notes?|memory|rule|convention|preference)|you (?:noted|saved|remembered|stored|asked|told|prefer|wanted|mentioned)|(?:notes|memory) (?:say|says|said|mention|mentions|has|have|from)|i remember(?:ed)? that you|i have (?:it )?(?:noted|on file)|noted earlier|from memory)\b"),
)  # fmt: skip
LEAD_IN = re.compile(
    r"^(?:(?:ok(?:ay)?|k|so|and|but|also|btw|by the way|oh|ah|ooh|hm+|well|yes|yeah|yep|hey|please|pls|plz|fwiw|fyi|before i forget|lol|ugh)(?:[,:!.…]+\s*|\s+(?![:,])(?=\S))"
    r"|(?:no|nope|right|great|good|nice|cool|perfect|thanks|thx|wait|anyway|just|one more thing|another thing|one (?:more )?(?:small )?thing|again|last (?:one|thing)|sorry|(?:just )?so (?:that )?you know|fyi|heads[- ]up|for the record|oh come on|actually|seriously|"
    r"make a note|note to self|note|remember|reminder|important|for (?:the )?(?:next time|future|later|future reference)|(?:general|house|one|ground) rule(?: for this repo| here)?|in general|going forward)[,:!.…]+\s*|\(\s*)+"
)
