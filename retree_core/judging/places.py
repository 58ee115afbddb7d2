"""A small gazetteer: which well-known place lies in which."""

from collections.abc import Mapping
from typing import Final

from retree_core.text.wordlists import phrase_set

_CONTINENTS: Final = {
    "europe": (
        "albania, andorra, austria, belarus, belgium, bosnia and herzegovina, bulgaria, croatia, cyprus, czech "
        "republic, denmark, estonia, finland, france, germany, greece, hungary, iceland, ireland, italy, kosovo, "
        "latvia, liechtenstein, lithuania, luxembourg, malta, moldova, monaco, montenegro, netherlands, north "
        "macedonia, norway, poland, portugal, romania, russia, san marino, serbia, slovakia, slovenia, spain, "
        "sweden, switzerland, ukraine, united kingdom, vatican city"
    ),
    "asia": (
        "afghanistan, armenia, azerbaijan, bahrain, bangladesh, bhutan, brunei, cambodia, china, georgia, india, "
        "indonesia, iran, iraq, israel, japan, jordan, kazakhstan, kuwait, kyrgyzstan, laos, lebanon, malaysia, "
        "maldives, mongolia, myanmar, nepal, north korea, oman, pakistan, philippines, qatar, saudi arabia, "
        "singapore, south korea, sri lanka, syria, taiwan, tajikistan, thailand, turkey, turkmenistan, united "
        "arab emirates, uzbekistan, vietnam, yemen"
    ),
    "africa": (
        "algeria, angola, benin, botswana, burkina faso, burundi, cameroon, chad, democratic republic of the "
        "congo, egypt, eritrea, ethiopia, gabon, gambia, ghana, guinea, ivory coast, kenya, lesotho, liberia, "
        "libya, madagascar, malawi, mali, mauritania, mauritius, morocco, mozambique, namibia, niger, nigeria, "
        "rwanda, senegal, sierra leone, somalia, south africa, sudan, tanzania, togo, tunisia, uganda, zambia, "
        "zimbabwe"
    ),
    "north america": (
        "bahamas, barbados, belize, canada, costa rica, cuba, dominican republic, el salvador, guatemala, haiti, "
        "honduras, jamaica, mexico, nicaragua, panama, trinidad and tobago, united states"
    ),
    "south america": (
        "argentina, bolivia, brazil, chile, colombia, ecuador, guyana, paraguay, peru, suriname, uruguay, venezuela"
    ),
    "oceania": "australia, fiji, new zealand, papua new guinea, samoa, tonga, vanuatu",
}
_REGIONS: Final = {
    "scandinavia": "norway, sweden, denmark",
    "british isles": "united kingdom, ireland",
    "balkans": (
        "serbia, croatia, bosnia and herzegovina, bulgaria, albania, greece, montenegro, north macedonia, kosovo, "
        "slovenia, romania"
    ),
    "iberia": "spain, portugal",
    "benelux": "belgium, netherlands, luxembourg",
    "low countries": "belgium, netherlands",
    "central europe": "germany, austria, switzerland, poland, czech republic, hungary, slovakia",
    "eastern europe": "russia, ukraine, belarus, moldova, romania, bulgaria, poland",
    "latin america": (
        "mexico, brazil, argentina, chile, peru, colombia, bolivia, ecuador, venezuela, uruguay, paraguay, cuba, "
        "guatemala, panama"
    ),
    "caribbean": "cuba, jamaica, haiti, dominican republic, barbados, bahamas, trinidad and tobago",
    "middle east": (
        "iran, iraq, israel, jordan, lebanon, syria, saudi arabia, yemen, oman, qatar, kuwait, united arab "
        "emirates, turkey, egypt"
    ),
    "southeast asia": "vietnam, thailand, cambodia, laos, myanmar, malaysia, indonesia, philippines, singapore",
    "east africa": "kenya, tanzania, uganda, rwanda, ethiopia, somalia",
    "west africa": ("nigeria, ghana, senegal, mali, benin, togo, ivory coast, liberia, sierra leone, gambia, guinea"),
    "north africa": "morocco, algeria, tunisia, libya, egypt",
    "new england": "massachusetts, connecticut, maine, vermont, new hampshire, rhode island",
    "soviet union": ("russia, ukraine, belarus, estonia, latvia, lithuania, georgia, armenia, kazakhstan, uzbekistan"),
}
_PARTS: Final = {
    "united kingdom": "england, scotland, wales, northern ireland",
    "england": (
        "london, manchester, birmingham, leeds, liverpool, bristol, sheffield, oxford, cambridge, york, bath, "
        "newcastle, nottingham, southampton, plymouth, norwich, exeter, brighton, kent, cornwall, devon, "
        "yorkshire, lancashire, sussex, essex, surrey, norfolk, suffolk, coventry, leicester, hull, derby, "
        "durham, portsmouth, canterbury, winchester"
    ),
    "scotland": "edinburgh, glasgow, aberdeen, dundee, inverness, stirling, perth",
    "wales": "cardiff, swansea, newport, wrexham",
    "northern ireland": "belfast, derry",
    "ireland": "dublin, cork, galway, limerick, waterford",
    "france": (
        "paris, lyon, marseille, toulouse, nice, bordeaux, lille, nantes, strasbourg, rouen, normandy, brittany, "
        "provence, montpellier, reims, dijon, grenoble, avignon, alsace, burgundy"
    ),
    "germany": (
        "berlin, munich, hamburg, cologne, frankfurt, stuttgart, leipzig, dresden, bonn, hanover, bremen, "
        "nuremberg, heidelberg, lubeck, rostock, bavaria, saxony, dusseldorf, dortmund, essen, weimar, mainz, "
        "freiburg, gottingen, kiel, hesse, prussia, black forest"
    ),
    "austria": "vienna, salzburg, graz, linz, innsbruck, tyrol",
    "switzerland": "zurich, geneva, basel, bern, lausanne, lucerne",
    "italy": (
        "rome, milan, naples, turin, florence, venice, bologna, genoa, palermo, bari, verona, pisa, siena, "
        "sicily, sardinia, tuscany, lombardy, trieste, parma, padua, modena"
    ),
    "spain": (
        "madrid, barcelona, seville, valencia, bilbao, granada, malaga, zaragoza, catalonia, andalusia, toledo, "
        "cordoba, salamanca"
    ),
    "portugal": "lisbon, porto, coimbra, madeira, braga",
    "netherlands": "amsterdam, rotterdam, the hague, utrecht, leiden, delft, eindhoven, haarlem, groningen",
    "belgium": "brussels, antwerp, ghent, bruges, liege, leuven, flanders, wallonia",
    "norway": "oslo, bergen, trondheim, stavanger, tromso",
    "sweden": "stockholm, gothenburg, malmo, uppsala, lund",
    "denmark": "copenhagen, aarhus, odense, aalborg",
    "finland": "helsinki, turku, tampere, espoo",
    "poland": "warsaw, krakow, cracow, gdansk, wroclaw, poznan, lodz",
    "czech republic": "prague, brno, ostrava, bohemia, moravia",
    "hungary": "budapest, debrecen, szeged",
    "russia": ("moscow, saint petersburg, novosibirsk, kazan, omsk, perm, siberia, yekaterinburg, vladivostok, samara"),
    "ukraine": "kyiv, odessa, odesa, lviv, kharkiv, crimea",
    "greece": "athens, thessaloniki, crete, corfu, sparta, rhodes",
    "turkey": "istanbul, ankara, izmir, antalya",
    "romania": "bucharest, cluj, transylvania, timisoara",
    "croatia": "zagreb, split, dubrovnik, rijeka",
    "serbia": "belgrade, novi sad",
    "egypt": "cairo, alexandria, luxor, giza",
    "south africa": "cape town, johannesburg, durban, pretoria",
    "nigeria": "lagos, abuja, kano, ibadan",
    "kenya": "nairobi, mombasa",
    "morocco": "casablanca, rabat, marrakesh, fez",
    "india": (
        "mumbai, delhi, new delhi, kolkata, chennai, bangalore, hyderabad, pune, kerala, punjab, goa, tamil nadu, "
        "rajasthan, gujarat, bengal"
    ),
    "china": "beijing, shanghai, guangzhou, shenzhen, hong kong, tibet, sichuan, wuhan, nanjing, chengdu",
    "japan": "tokyo, osaka, kyoto, nagoya, hokkaido, hiroshima, nagasaki, sapporo, yokohama, okinawa, kobe",
    "australia": ("sydney, melbourne, brisbane, adelaide, canberra, tasmania, queensland, victoria, new south wales"),
    "new zealand": "auckland, wellington, christchurch",
    "canada": (
        "toronto, montreal, vancouver, ottawa, calgary, quebec, ontario, british columbia, alberta, manitoba, "
        "nova scotia, winnipeg, halifax"
    ),
    "mexico": "mexico city, guadalajara, monterrey, yucatan, oaxaca",
    "brazil": "sao paulo, rio de janeiro, brasilia, salvador, bahia, recife",
    "argentina": "buenos aires, rosario, patagonia, mendoza",
    "chile": "santiago, valparaiso, atacama desert, concepcion",
    "peru": "lima, cusco, arequipa",
    "colombia": "bogota, medellin, cali, cartagena",
    "united states": (
        "alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii, idaho, "
        "illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, "
        "minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey, new mexico, new "
        "york, north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, "
        "south dakota, tennessee, texas, utah, vermont, virginia, washington, west virginia, wisconsin, wyoming, "
        "washington dc"
    ),
    "california": "los angeles, san francisco, san diego, sacramento, oakland, hollywood, berkeley, san jose",
    "new york": "new york city, buffalo, albany, rochester, long island",
    "new york city": "manhattan, brooklyn, queens, the bronx, harlem, staten island",
    "illinois": "chicago, springfield illinois",
    "texas": "houston, dallas, austin, san antonio",
    "massachusetts": "boston, salem, worcester",
    "pennsylvania": "philadelphia, pittsburgh",
    "washington": "seattle, spokane, tacoma",
    "florida": "miami, tampa, orlando, jacksonville",
    "georgia us": "atlanta, savannah",
    "michigan": "detroit, ann arbor, lansing",
    "colorado": "denver, boulder",
    "louisiana": "new orleans, baton rouge",
    "tennessee": "nashville, memphis",
    "paris": "montmartre, latin quarter, le marais",
    "london": "westminster, soho, greenwich, camden, chelsea, hackney",
}


def _inside() -> dict[str, str]:
    pairs = {**_CONTINENTS, **_PARTS}
    return {part: whole for whole, parts in pairs.items() for part in phrase_set(parts)}


INSIDE: Final[Mapping[str, str]] = _inside()
"""Place -> the next larger place that holds it."""
REGIONS: Final = {region: phrase_set(members) for region, members in _REGIONS.items()}
"""Region across borders -> the countries in it."""
_DEEPEST: Final = 6


def lies_in(inner: str, outer: str) -> bool:
    """Tell whether one well-known place (a name key) lies in another.

    >>> lies_in("lubeck", "germany"), lies_in("lubeck", "europe"), lies_in("paris", "germany")
    (True, True, False)
    """
    place: str | None = inner
    for _ in range(_DEEPEST):
        if place in REGIONS.get(outer, ()):
            return True
        place = INSIDE.get(place) if place is not None else None
        if place == outer and place is not None:
            return True
    return False
