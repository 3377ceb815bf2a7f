"""Spanish forms of speech (a core). See ``forms`` for what the tables mean."""

from __future__ import annotations

import re

from extractord.agent.offline.forms import Speech, form

S = r"(?:^|[,:(!¡.]\s*|\s[—–-]\s|\b(?:y|pero|así que|por favor|también|entonces|ok|no|sí|oye|mejor|además|aquí|siempre)[,:]?\s+)"
SYSTEM = r"(?:jira|confluence|notion|grafana|kibana|sentry|slack|teams|sharepoint|wiki|miro|figma|trello|linear|datadog|intranet|drive|google (?:docs?|sheets?)|hoja de cálculo|metabase|power ?bi|canal|tablero|panel|asana|clickup|mattermost|redmine|zendesk)"
URL = r"https?://\S+"
PLACE = rf"(?:{URL}|(?<![\w&])#[a-z][\w-]{{2,}}|\b{SYSTEM})"
STANDING = (
    form("a partir de ahora", r"\b(?:a partir de (?:ahora|hoy|ya)|de ahora en adelante|desde ahora|en (?:el futuro|adelante|lo sucesivo)|la próxima vez|para la próxima|como (?:norma|regla)(?: general)?|por (?:norma|regla) general|en general[,:]|sin excepci(?:ón|ones)|bajo ningún concepto|por convenio|regla:|norma:|por defecto)\b", unless=r"quizás|tal vez|podríamos"),
    form("siempre se hace", r"^(?:los|las|nuestros|nuestras) \w+ (?:\w+ ){0,2}(?:siempre|nunca|solo|sólo) se \w+", unless=r"\bpor qué\b|se (?:cae|rompe|queda|cuelga)"),
    form("deja de", rf"{S}(?:deja|dejad|para|basta) (?:ya )?de \w+(?:ar|er|ir)\b(?! (?:eso|esto|el servidor))"),
    form("prefiero", r"\b(?:prefiero|me gusta(?:n)? (?:más|que|las respuestas|los)|odio|no me gusta(?:n)? (?:que|los|las)|no soporto)\b", unless=r"\b(?:la primera|la segunda|el segundo|esta|este|eso|esto)\b"),
    form("antes de", r"\b(?:antes de|cuando|cada vez que|siempre que) (?:que )?\w+.*\b(?:pregúntame|avísame|enséñame|consulta(?:me)?|dime|haz siempre|ejecuta siempre|primero)\b|\bsin (?:preguntarme|avisarme|consultarme|consultar)\b|\bpregúntame (?:siempre )?antes de\b", unless=r"\bantes de (?:hacer )?(?:eso|esto|subir eso)\b"),
    form("respóndeme", r"\b(?:respóndeme|contesta(?:me)?|háblame|responde|escríbeme|explícame) (?:siempre )?(?:en (?:español|inglés)|corto|breve|con frases|sin)\b|\bno (?:hace falta|necesito) que (?:me )?(?:expliques|resumas|repitas)\b"),
)  # fmt: skip
NORMS = (
    form("nunca", rf"{S}(?:nunca|jamás|siempre) (?:jamás )?(?!falla|fall[oó]|se (?:cierra|abre|ve|muestra|carga)|es\b|ha\b|está\b|me\b|se (?:cae|queda)|he\b|lo (?:he|hemos)|igual|así|devuelve|ocurre|pasa)\w+", unless=r"\bpor qué\b|\b(?:esto|eso|él|ella|la función|siempre ha sido)\b|\bquizás\b|siempre se me olvida"),
    form("siempre, en la frase", r"\b(?:van?|deben?|tienen?|hay que|tienes que|usamos?|escribimos?|ponemos?|hacemos?|se (?:escribe|usa|pone|guarda|hace|prueba)n?|los \w+|las \w+)\b.{0,24}\b(?:siempre|nunca|solo|sólo) (?:en|con|por|a|como|de|desde|sobre|tras)\b", unless=r"\bpor qué\b|falla|\?"),
    form("nada de", r"(?:^|[,:.]\s*|\b(?:por favor|y|no), ?)(?:nada de|ningún|ninguna|prohibido|cero) (?!momento|problema|eso|esto|idea)\w+.{3,}", unless=r"\bno hay\b|por ahora|de momento"),
    form("todos los", r"\b(?:todos los|todas las|cada|cualquier) \w+ (?:\w+ )?(?:deben?|tienen? que|hay que|necesitan?|llevan?|van?|requieren?|la tiene que|lo tiene que)\b", unless=r"\b(?:fallan?|pasan?|ahora mismo|hoy|error|este|esta)\b|\?"),
    form("aquí no", r"\b(?:aquí|en este (?:repo(?:sitorio)?|proyecto|equipo)|en nuestro (?:equipo|proyecto|código)) (?:no|nunca|siempre|solo|usamos|se)\b|\b(?:no|nunca|siempre|solo) (?:usamos|escribimos|hacemos|ponemos|permitimos)\b.*\b(?:aquí|en este (?:repo|proyecto)\w*|en el proyecto)\b", unless=r"\?|por ahora"),
    form("no pongas", r"(?:^|[,:.]\s*|\b(?:por favor|y|pero) )no (?:uses|pongas|hagas|escribas|añadas|metas|crees|borres|cambies|toques|mezcles|subas|edites|comentes|instales|abrevies|expliques|resumas|repitas|mockees|simules|ejecutes|llames|guardes) (?!ese?\b|esa\b|esto\b|eso\b|este\b|esta\b|el test|la línea|nada|ahora)(?:\w+ ){0,2}?(?:\w+s|directo|directamente|código|al final|nunca)\b", unless=r"\b(?:todavía|aún|por ahora|de momento|hoy|ese|esa)\b"),
)  # fmt: skip
CORRECTION = (
    form("no", rf"{S}(?:no|evita|usa|utiliza|mejor|prefiere|deja|pon|escribe|en vez de|en lugar de)\b"),
    form("en vez de", r"\b(?:en vez de|en lugar de|y no|no con|no en|debe|deben|tiene que|tienen que|se queda|quedan)\b"),
)  # fmt: skip
REMEMBER = (
    form("recuerda", r"(?:^|[,:.]\s*|\b(?:y|por favor|pero) )(?:recuerda|recordad|acuérdate|ap[uú]nta(?:te|lo|telo)?|an[oó]ta(?:te|lo|telo)?|que (?:quede|conste) (?:anotado|claro|constancia)?|toma nota|ten en cuenta|tened en cuenta|no (?:te )?olvides(?: nunca)?(?= (?:de )?que|[,:])|guarda (?:esto|en tu memoria)|memoriza|ten (?:siempre |muy )?presente|gr[aá]ba(?:te|telo)|que no se te olvide|importante:|para que conste|para el futuro|para más adelante)\b", unless=r"\brecuerda(?:s)? (?:cuando|cómo|qué|si)\b|\?$|recuerda (?:subir|añadir|hacer|cerrar)"),
)  # fmt: skip
INFORM = (form("para que sepas", r"\b(?:para que (?:lo )?sepas|que sepas que|por cierto|aviso|contexto:|fechas?:|calendario:|te aviso)\b"),)
ROLE = r"(?:\w+(?:dor|dora|ista|ero|era|ólogo|óloga|ico|ica|ante|ente|ario|aria|tor|tora|ico|or|ora)\b|dba|pm|cto|becario|becaria|novato|novata|principiante|autodidacta|daltónic[oa]|sord[oa]|cieg[oa]|disléxic[oa]|zurd[oa]|profe|médic[oa]|abogad[oa]|estudiante|jefe|jefa|de letras|de formación|matemátic[oa]|físic[oa]|químic[oa])"
PERSON = (
    form("soy", rf"\b(?:yo )?soy (?:(?:un|una|el|la|más|solo|realmente|en realidad|de|del|originalmente|básicamente|muy|bastante) )*(?:\w+ )?{ROLE}\b", unless=r"\bsi soy\b|\bno soy (?:capaz|seguro)|soy (?:tonto|idiota|consciente)|¿|soy (?:el|la) (?:usuari|client)\w+ con"),
    form("vengo de", r"\bvengo (?:del? |desde )(?!(?:la |una |el )?(?:reunión|comer|médico))\w+|\bvengo de\b.*\b(?:años|mundo|backend|frontend)\b|\bmi (?:formación|experiencia|lengua materna|especialidad|fuerte|punto débil|campo|perfil|trabajo)\b(?=.*\b(?:es|son|no|en)\b)"),
    form("llevo años", r"\b(?:llevo|tengo|con|tras|después de|desde hace|durante|hace) (?:ya |casi |más de |unos )?(?:\d{1,2}|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|quince|veinte|treinta|muchos|varios|poco) (?:años?|meses|semanas)\b(?=.*(?:program|desarroll|trabaj|us|con |haciendo|de |en |como|cobol|\w+ando|\w+iendo))|\b(?:quince|veinte|treinta|diez|\d{2}) años\b", unless=r"\b(?:datos|servidor|error|logs|el bug|la tabla|minutos)\b|¿"),
    form("trabajo como", r"\btrabajo (?:como|de|en el equipo|sobre todo)\b|\bme dedico a\b|\bme encargo de\b|\bsoy (?:el|la) responsable\b|\bestudi[oé] \w+|\b(?:programo|desarrollo) (?:desde|solo|sobre todo|en mis)\b", unless=r"\bahora mismo\b|\bhoy\b"),
    form("no sé nada de", r"\b(?:no sé|no conozco|no entiendo|no domino|apenas sé|sé muy poco|no tengo (?:mucha |ninguna )?experiencia|nunca he (?:usado|tocado|trabajado|programado)|jamás he|soy nuev[oa]|estoy aprendiendo|acabo de empezar|empecé hace|domino|conozco bien|se me da (?:bien|mal|fatal))\b.*\b(?:nada|de|en|con|casi|bien|css|sql|java|python|rust|go|react)\b|\b(?:es|son) (?:\w+ )?nuev[oa]s? para mí\b|\bpara mí es nuevo\b|\bde \w+ no sé (?:casi |prácticamente )?nada\b", unless=r"\bqué\b|\bpor qué\b|\bdónde\b|\beste error\b|\beso\b"),
    form("explícame", r"\bexplícame(?:lo)? .{0,40}\b(?:como si|en términos de|comparando|despacio|con calma)\b|\bpuedes (?:saltarte|dar por)\b.*\b(?:básico|sabido)"),
)  # fmt: skip
EVENT = (
    form("fecha", r"\b(?:congel\w*|congelación|freeze|lanzamiento|lanzamos|lanza|entrega|entregamos|plazo|fecha límite|auditoría|demo|presentación|migra\w*|migración|apaga\w*|apagan|apagón|se apaga|retira\w*|retiran|cierr\w*|cierra|caduca|vence|vencimiento|termina|empieza|comienza|despliegue|despliegues|publica\w*|salida|producción|"
         r"mantenimiento|traslado|mudanza|corte|hasta|antes del?|no se mueve|se mueve|aplaz\w*|retras\w*|adelant\w*|solo (?:se )?(?:aceptan?|arreglos)|contrato|licencia|vacaciones|festivo|campaña|inspección|certificación|inventario|feria|conferencia|debe estar|tiene que estar|se elimina|deja de)\b"),
)  # fmt: skip
DECISION = (
    form(
        "lo hacemos porque",
        r"\b(?:estamos|vamos a) (?:reescrib\w+|migra\w+|cambia\w+|quita\w+|reemplaza\w+|reescribiendo|migrando)\b.*\b(?:porque|por|debido)\b|\b(?:legal|cumplimiento|seguridad|finanzas|el cliente|el regulador|los auditores|el banco) (?:exige|pide|quiere|no acepta|requiere|no permite|obliga)\b|\bhemos decidido\b|\bse ha decidido\b",
        unless=r"¿|\?",
    ),
)
POINTER = (
    form("está en", rf"\b(?:está|están|se registran?|se documentan?|se guardan?|se apuntan?|se preguntan?|se siguen|se gestionan?|se publican?|se reportan?|se discuten?|se encuentran?|vive|viven|van|va|llegan|caen|encontrarás|puedes ver|lo tienes|los tienes|la tienes|tenemos|pregunta|mira|consulta|busca)\b.{{0,40}}\b(?:en|a|por|al)\b.{{0,30}}{PLACE}",
         unless=r"\?|¿|\bdónde\b|\b(?:ayer|ahora mismo)\b|\b(?:roto|caído|falla)\b|\bestoy\b"),
    form("el panel", rf"\b(?:panel|tablero|documentación|métricas|logs|registros|errores|dudas|incidencias|lista|calendario|manual|guía|diseños?)\b.{{0,30}}(?::|\bestá\b|\ben\b).{{0,20}}{PLACE}", unless=r"\?|¿|\bdónde\b|ayer"),
)  # fmt: skip
APPROVAL = (
    form(
        "bien hecho",
        r"\b(?:buena (?:idea|decisión|elección)|bien hecho|así me gusta|me gusta (?:cómo|así|que)|perfecto|genial|hiciste bien|exactamente así|justo así|tenías razón|muy bien)\b",
    ),
)
KEEP_ON = (
    form(
        "sigue así",
        r"\b(?:sigue (?:así|haciéndolo)|siempre así|hazlo (?:siempre )?así|igual (?:para|con|en) (?:los|las|el|la)|también (?:para|en) los (?:demás|siguientes|próximos)|déjalo así|mantenlo así|(?:los|las) (?:demás|siguientes|próximos|próximas) (?:igual|también))\b",
    ),
)
REVOCATION = (
    form("ya no", r"\b(?:ya no|dejó de|no (?:hace falta|aplica|vale) ya|obsolet[oa]|se acabó|se canceló|cancelad[oa]|anulad[oa]|derogad[oa]|fue reemplazad[oa]|se cambió|hemos (?:cambiado|migrado|pasado)|nos (?:pasamos|cambiamos|mudamos))\b"),
    form("olvida", r"\b(?:olvida|olvídate de|borra|elimina|tira|quita|corrige|cambia|actualiza) (?:lo|la|el|esa|ese|eso|esta|las|los|de)\b|\bpuedes (?:borrar|olvidar|tirar|quitar) (?:esa|la|eso|ese)\b"),
)  # fmt: skip
RENEWAL = (
    form("ahora", r"\bahora (?:\w+ )?(?:está|están|es|son|va|van|usamos|se|lo|la|todo|vamos|corre|hay)\b|\bdesde \w+ (?:usamos|está|va)\b"),
)  # fmt: skip
MOVED = (
    form(
        "se movió",
        r"\b(?:se (?:movió|aplaza|aplazó|retrasa|retrasó|adelanta|adelantó|cambia|pospone|pospuso)|aplazad[oa]|pospuest[oa]|retrasad[oa]|adelantad[oa]|movid[oa]|nueva fecha|pasa al|ahora es el)\b",
    ),
)
REASON = (
    form("porque", r"(?P<why>\b(?:porque|ya que|puesto que|si no|de lo contrario|debido a|para que|el motivo|la razón|dado que|que si no|pues)\b)"),
    form("otra frase", r"[,–-]\s*(?P<why>(?:la última vez|el (?:año|mes) pasado|la semana pasada|siempre acaban?|el equipo|los? \w+ (?:no|siempre|lo|se|leen|usan)|eso|así|nadie|luego|cada|una vez|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre))\b)"),
)  # fmt: skip
INCIDENT = (
    form(
        "pasó",
        r"\b(?:la última vez|el (?:año|mes|verano) pasado|la semana pasada|una vez|ya nos|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)|hace (?:un|una|dos|unos))\b.*\b(?:rompi\w*|perdi\w*|tuv\w*|cay\w*|falló|borr\w*|hubo|cost\w*|pas\w*|se fue|fue|quej\w*)\b|\brompimos\b|\bperdimos\b|\bse cayó\b|\bnos costó\b",
    ),
)
BECAUSE_OF_PEOPLE = (
    form(
        "gente",
        r"\b(?:equipo|clientes?|usuarios?|nadie|todos|siempre|cada|la gente|auditor\w*|legal|aprobar|lee|leen|cuesta|factura\w*|compañeros)\b",
    ),
)
LATE_REASON = (form("el motivo", r"\b(?:el motivo|la razón|por eso (?:te|lo)|lo (?:dije|decía|digo) porque|sobre lo de)\b"),)
CONSEQUENCE = (form("así que", r"^(?:y )?(?:así que|por eso|por tanto|por lo tanto|de modo que|entonces)\b"),)
MEANWHILE = (
    form(
        "después",
        r"^(?:y |pero )?(?:después de eso|a partir de (?:entonces|ahí)|desde entonces|hasta entonces|mientras tanto|antes de eso|en ese tiempo|luego de eso)\b",
    ),
)
NO_HEADING = r"\b(?:lint\w*|firewall|css|readme|implementa|hoy|valida\w*)\b|\?"
HEADING = (
    form("reglas", r"\b(?:reglas|normas|convenciones|preferencias|de ahora en adelante|a partir de ahora)\b[^:]*:\s*$", unless=NO_HEADING),
)  # fmt: skip
HEADING_FACTS = (form("qué recordar", r"\b(?:recuerda|apunta|anota|para (?:el futuro|más adelante|tu memoria))\b[^:]*:\s*$", unless=NO_HEADING),)  # fmt: skip
HEADING_WORK = (form("por hacer", r"^.{0,16}\b(?:pasos|tareas|pendientes|plan|requisitos|criterios|casos|reglas de negocio|cambios)\b[^:]{0,30}:\s*$"),)  # fmt: skip
THEREFORE = (form("así que", r",?\s*\b(?:así que|por eso|por lo tanto|por tanto)\b"),)
WHENEVER = (form("siempre que", r"\b(?:siempre|cuando|cada vez|nunca|no|antes de)\b"),)
NAMED = (
    form(
        "x, no y",
        r"\b(?:usa|utiliza|escribe|pon) (?!el\b|la\b|los\b|las\b|un\w*\b|est\w+\b)[\w./@-]{2,},? (?:y )?(?:no|en vez de|en lugar de) (?!el\b|la\b|est\w+\b)[\w./@-]{2,}",
    ),
)
GENERIC = (
    form(
        "una clase",
        r"\b(?:no|nunca|nada de|evita) (?:\w+ ){1,3}\w+s\b|\b(?:en|para|con) (?:los |las |todos los |todas las )?(?:tests|pruebas|commits|producción|migraciones|comentarios|código)\b",
    ),
)
APPLY = (form("se aplica", r"\b(?:en su lugar|usa|utiliza|también en|en todos|en todas|para todos|cuando|siempre que|igual en)\b"),)
SHIFT = (
    form(
        "por otro lado",
        r"^(?:ok|vale|bien|gracias|perfecto|por cierto|otra cosa|además|ahora|luego|siguiente|listo|genial|ah|bueno|commit|sube)\b",
    ),
)
TASK = (
    form("haz ahora", r"^(?:(?:ok|vale|por favor|y|ahora|luego|entonces|puedes|podrías|pues|bien|gracias)[,:]? )*(?:añade|agrega|pon|arregla|corrige|ejecuta|lanza|muestra|muéstrame|crea|cambia|renombra|mueve|borra|elimina|abre|mira|busca|sube|haz (?:commit|push|el|la|un|una)|prueba|escribe|dime|dame|explica|explícame|termina|sigue|revierte|instala|genera|comprueba|revisa|formatea|imprime|reinicia|quita|salta|sáltate|hazme|saca)\b"),
    form("lo hago", r"\b(?:voy a|lo haré|lo hago|sigo|vamos a ver|déjame|luego (?:lo )?(?:miro|veo)|mañana (?:sigo|lo|miro|veo)|tengo que)\b"),
)  # fmt: skip
POINTING = (form("eso", r"\b(?:eso|esto|ese|esa|así|lo mismo|aquello)\b"),)
ASKING = (
    form("signo", r"[¿?]", unless=r",? ?(?:vale|ok|de acuerdo|por favor)\s?\?\s*$|^¿?(?:puedes|podrías) (?:dejar de|no volver)"),
    form("dime si", r"^(?:(?:por favor|y|ok|oye)[,:]? )*(?:dime|explícame|comprueba|mira|averigua|verifica|pregunta)(?: \w+){0,2} (?:si|por qué)\b|\b(?:no sé|quiero saber|saber) si\b", unless=r"\b(?:antes de|cada vez|siempre que)\b"),
    form("pregunta", r"^(?:(?:y|pero|oye|ok)[,:]? )*(?:por qué|cómo|dónde|cuándo|quién|cuál|cuánto|qué (?:es|hace|pasa|significa|son)|deberíamos|hay que|podemos)\b(?=.*\?)"),
)  # fmt: skip
HYPOTHETICAL = (
    form(
        "quizás",
        r"\b(?:quizá|quizás|tal vez|a lo mejor|algún día|si alguna vez|podríamos|podría|sería|estaría bien|imagina|supongamos|en teoría|posiblemente|si llegamos|habría que ver|ojalá|deberíamos)\b",
    ),
)
SARCASM = (
    form(
        "ironía",
        r"\b(?:claro que sí|sí, claro|qué gran idea|genial idea|jaja+|jeje+|lol|menuda idea|qué podría salir mal|es broma)\b|🙄|😂|;-?\)",
    ),
)
TEMPORARY = (
    form(
        "por ahora",
        r"\b(?:por ahora|por el momento|de momento|por esta vez|esta vez|solo (?:hoy|por hoy|esta vez|en este)|hoy|ahora mismo|todavía no|aún no|temporal(?:mente)?|mientras tanto|provisional\w*|en este (?:pr|commit)|luego lo|más tarde)\b",
        unless=r"\ba partir de hoy\b|\bdesde hoy\b",
    ),
)
REPORTED = (
    form("no he dicho", r"\b(?:no|nunca|jamás) (?:he|hemos|ha|han)? ?(?:dicho|dije|dijimos|dijo|pedido|afirmado) que\b|\bnadie (?:dijo|ha dicho)\b|\bno es (?:cierto|verdad) que\b"),
    form("alguien dice", r"\b(?!yo\b|tú\b)(?:\w+) (?:dice|dijo|piensa|cree|opina|escribió|sugiere|sugirió|afirma|insiste|propone|quiere que|recomienda)\b(?!.*\b(?:razón|de acuerdo)\b)", unless=r"\b(?:legal|seguridad|cumplimiento|cliente)\b"),
    form("un texto dice", r"\b(?:el|la|los|en el|en la|según) (?:ticket|readme|documentación|correo|comentario|error|log|artículo|blog|libro|linter|mensaje|manual|especificación)\b.{0,14}\b(?:dice|dicen|pone|recomienda|pide|indica|sugiere)\b|\bsegún (?:el|la|los)\b|\bal parecer\b|\bdicen que\b"),
)  # fmt: skip
WITHDRAWN = (
    form(
        "olvídalo",
        r"\b(?:olvídalo|olvida eso|da igual|(?:era|es) (?:una )?broma|mejor no|nada, nada|no, espera|retiro lo|me retracto|ignora (?:eso|lo)|déjalo(?! así)|no importa|pensándolo bien|cancela eso)\b",
    ),
)
KEPT_OUT = (form("kept out", r"\bnada (?:sobre|de) [^.?!]{2,40}\b(?:memoria|notas)\b"),)
PRIVATE = (
    form(
        "no lo guardes",
        r"\bno (?:lo |la |los |me )?(?:guardes|apuntes|anotes|recuerdes|memorices|registres|escribas) (?:eso|esto|nada|en)?\b(?!.*\b(?:base de datos|tabla|fichero|archivo)\b)|\b(?:entre nosotros|entre tú y yo|confidencial|en confianza|que no salga de aquí|extraoficial)",
    ),
)
ORDER_UNTIL = (form("hasta entonces", r"\b(?:hasta|antes|después|todo|nada|siempre|nunca|entonces)\b"),)
ORDER_TAIL = (
    form("y ahora hazlo", r"[,;]\s*(?:así que |por favor |pues )*(?:bórral|quítal|cámbial|arréglal|añádel|elimínal|renómbral|hazl)\w*\W*$"),
)
DICTATED = (
    form(
        "para escribir",
        r"^(?:(?:por favor|y|luego|ahora|ok)[,:]? )*(?:escribe|añade|agrega|pon|traduce|redacta|responde|publica|muestra|cambia|incluye)\b[^:]{0,60}:\s|^(?:título|texto|asunto|descripción|historia de usuario|requisito|mensaje de error)\b[^:]{0,20}:\s",
        unless=r"\b(?:tus notas|memoria|recuerda)\b",
    ),
)
SECRETS = (
    form("contraseña", r"\b(?:contraseña|clave|api[- ]?key|credenciales)\b(?=.*\b(?:es|está|cambió|:)\b)", unless=r"\b(?:nunca|jamás)\b"),
)
JUDGING = (
    form(
        "juicio",
        r"\b(?:es|son|era) (?:muy |tan |un |una |demasiado |un poco )*(?:idiota|inútil|vag[oa]|incompetente|tont[oa]|pesad[oa]|lent[oa]|desastre|torpe)\b|\bno tiene ni idea\b",
    ),
)
NOTES = (
    form(
        "tus notas",
        r"\b(?:(?:tu|tus|mi|mis|esa|la) (?:notas?|memoria|regla|recordatorio|norma)|según (?:tus|mis|las) notas|como (?:dijiste|acordamos|anoté|antes|siempre)|lo que (?:te )?dije)\b",
    ),
)
LEAD_IN = re.compile(
    r"^(?:(?:ok|vale|bien|gracias|perfecto|por cierto|y|pero|además|ah|no|sí|oye|otra cosa|recuerda|apunta|anota|importante|para que sepas|bueno)(?:[,:!.]+\s*|\s+(?=(?:y|por|además|recuerda)\b))|[(¡]\s*)+"
)

SPEECH = Speech(
    remember=REMEMBER, inform=INFORM, standing=STANDING, norms=NORMS, correction=CORRECTION, person=PERSON, event=EVENT, decision=DECISION, pointer=POINTER,
    approval=APPROVAL, keep_on=KEEP_ON, revocation=REVOCATION, renewal=RENEWAL, moved=MOVED, reason=REASON, incident=INCIDENT, because_of_people=BECAUSE_OF_PEOPLE,
    late_reason=LATE_REASON, consequence=CONSEQUENCE, meanwhile=MEANWHILE, heading=HEADING, heading_facts=HEADING_FACTS, heading_work=HEADING_WORK, therefore=THEREFORE, whenever=WHENEVER, named=NAMED, generic=GENERIC, apply=APPLY, shift=SHIFT, task=TASK, pointing=POINTING, asking=ASKING, hypothetical=HYPOTHETICAL,
    sarcasm=SARCASM, temporary=TEMPORARY, reported=REPORTED, withdrawn=WITHDRAWN, private=PRIVATE, kept_out=KEPT_OUT, order_until=ORDER_UNTIL, order_tail=ORDER_TAIL, dictated=DICTATED, secrets=SECRETS, judging=JUDGING, notes=NOTES, lead_in=LEAD_IN,
)  # fmt: skip
