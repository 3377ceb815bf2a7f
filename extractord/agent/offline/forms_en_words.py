"""English words by kind, as parts of patterns: where clauses begin, daily work, roles, systems. No forms by themselves."""

from __future__ import annotations

# where a clause may begin: an order such as "never …" counts only there
S = (
    r"(?:^|[,:(!.]\s*|\s[—–-]\s|\b(?:and|but|so|please|pls|plz|pl|also|just|then|ok|okay|btw|again|instead|no|nope|yes|yeah|yep|well|oh|hm+|hey|really|seriously|"
    r"kindly|rather|better|folks|like i said|as i said|i said|man|c'mon|come on|ugh|sorry|actually|in general|generally|here|time|on|future|to be clear|reference)"
    r"[,:]?\s+)"
)
# a bare verb, so far as the ending tells: not "never floats", "always failed"
VERB = r"(?!\w+[^su]s\b)(?!(?!need|embed|feed|seed|shed|speed|exceed|proceed|add)\w+ed\b)[a-z][a-z-]+"
SCOPE = (
    r"(?:\b(?:in|for|across|throughout|with) (?:this|our|the whole|all of our|all our|the entire) (?!(?:\w+ )?(?:files?|test|function|branch|pr|case|line|component|commit|method|class|block|loop|view|page|form|modal|ticket|task|sprint|week|release|version|table|query|list|row|column|example|"
    r"handler|endpoint|script|migration|dialog|screen|state|folder|directory|object|array|response|request|context|session|step|order|way|direction|regard|area|section|thread|chat|moment|one|run|diff|test file|demo|spike|time|point|situation|round|meeting|conversation)\b)[\w-]+|\baround here\b|\bover here\b|\bwith us\b|\bon (?:this|our) (?:team|project|repo)\b|\bhere\b|\beverywhere\b|\banywhere\b|\bat our (?:place|company|shop)\b)"
)
# things of daily work that a rule may be about as a class
CRAFT = (
    r"(?:commits?(?: messages?| msgs?)?|messages|msgs|prs?|mrs?|pull requests?|merge requests?|migrations?|tests?|(?:unit |integration |e2e |ui )tests?|branch(?:es)?|comments?|releases?|functions?|methods|classes|modules|endpoints?|"
    r"changes?|changelog(?: entr(?:y|ies))?|scripts?|deploy(?:ment)?s?|docs?|docstrings?|reviews?|names?|variables?|identifiers?|dependenc(?:y|ies)|packages?|imports?|fixtures?|mocks?|logs?|log lines?|errors?|queries|tables?|"
    r"columns?|flags?|handlers?|components?|reports?|tickets?|snapshots?|timestamps?|dates?|times|amounts?|prices?|weights?|units?|secrets?|tokens?|credentials?|configs?|files?|strings?|texts?|copy|responses|answers?|"
    r"explanations?|summaries|diffs?|refactor(?:ing)?s?|code|hotfix(?:es)?|fixes|features?|jobs?|pipelines?|workflows?|images?|assets?|icons?|labels?|emails?|mails?|notifications?)"
)
PAST_TALK = r"(?:reach|enter|call this|use this|use it|get|hit|need|fail|forget|get|got|have|has|had|see|saw|end|run into|hit|lose|lost|know|knew|thought|think|hear|been|was|were|happen|break|broke|crash|come|came|said|say|wonder|find|found|feel|seem|works?)"
ROLE = (
    r"(?:\w+(?:er|or|ist|ian|ect|ologist)\b|dev|devs|dba|pm|cto|ceo|cfo|qa|sre|po|lead|intern|student|analyst|architect|ops|doctor|teacher|nurse|freelancer|consultant|phd|postdoc|scientist|generalist|specialist|newbie|beginner|noob|"
    r"accountant|admin|sysadmin|founder|mathematician|statistician|technician|electrician|physician|librarian|musician|biologist|chemist|lawyer|guy|gal|person|girl|veteran|expert|native speaker|hobbyist|amateur|coder|researcher)"
)
NOT_A_ROLE = r"\b(?:another|either|whether|after|never|ever|over|under|user error|other|error|bother|later|rather|number|order|blocker|loser|believer|liar|monster|pointer|parameter|server|container|folder|editor|looser|sucker|winner|stickler|sinner|for)\b"
YEARS = r"(?:\d{1,2}|a few|a couple of|many|several|some|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|twenty-five|half a) ?(?:\+ )?(?:years?|decades?|yrs?)"
SYSTEM = (
    r"(?:linear|jira|confluence|notion|grafana|datadog|sentry|slack|teams|discord|mattermost|zulip|kibana|looker|metabase|superset|tableau|power ?bi|pagerduty|opsgenie|figma|miro|sharepoint|zendesk|airtable|trello|asana|youtrack|bugzilla|redmine|"
    r"google (?:doc|docs|drive|sheet|sheets)|gdrive|g?sheets?|drive|dropbox|onedrive|wiki|honeycomb|new relic|splunk|loki|prometheus|jaeger|zipkin|bugsnag|rollbar|crashlytics|amplitude|mixpanel|posthog|basecamp|clickup|shortcut|monday\.com|"
    r"statuspage|status ?page|backstage|swaggerhub|postman|1password|vault|bitwarden|lastpass|stack ?overflow for teams|coda|quip|gitbook|readme\.io|intercom|hubspot|salesforce|servicenow|freshdesk|phabricator|gerrit|artifactory|nexus|"
    r"mailing list|newsletter|intranet|the share|nas|shared (?:drive|folder|calendar)|spreadsheet|google group|huddle|hackmd|outline|lucidchart|storybook\.\S+|mlflow|wandb|weights & biases|dagster|airflow ui|argo ?cd|snyk|sonarqube|codecov|launchdarkly|unleash)"
)
URL = r"https?://\S+"
CHANNEL = r"(?<![\w&])#[a-z][\w-]{2,}"
PLACE = rf"(?:{URL}|{CHANNEL}|\b(?:the |our |a |their |my )?(?:\w+[- ]){{0,2}}?{SYSTEM}\b|\b(?:board|dashboard|channel|runbook|tracker|playbook|mailbox|inbox|calendar|ticket queue|queue|folder) (?:called |named |\"))"
KNOWLEDGE = (
    r"(?:dashboards?|boards?|tracker|runbooks?|playbooks?|wiki|docs?|documentation|design docs?|specs?|post ?mortems?|on-?call|rotation|schedule|alerts?|logs?|metrics|traces|graphs?|charts?|roadmap|backlog|tickets?|bugs?|issues?|incidents?|feedback|complaints?|"
    r"reports?|credentials?|mock-?ups?|designs?|calendar|channel|status page|questions?|requests?|wishes|glossary|list of|inventory|diagram|domain model|errors?|crashes|exceptions|stats|statistics|numbers|kpis?|costs?|colou?rs|logos|assets|contacts?|owners?|minutes|decisions?|adrs?|rfcs?|"
    r"requirements|user stories|test plan|translations|contracts?|slas?|announcements?|releases?|secrets|keys|passwords|sheet|catalog(?:ue)?|manuals?|handbook|guidelines|templates?|examples|samples|history|archive|mails?|support|escalations?)"
)
