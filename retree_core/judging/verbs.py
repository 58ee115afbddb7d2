"""Verbs: to find where the subject ends, and to tell how many values a verb can have."""

from typing import Final

from retree_core.judging.stems import stem
from retree_core.text.wordlists import word_set


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


COPULAS: Final = word_set("is are was were be been being remains remained isn't aren't wasn't weren't")
AUXILIARIES: Final = COPULAS | word_set(
    "has have had does do did can could will would shall should may might must cannot hasn't haven't hadn't doesn't don't "
    "didn't can't couldn't won't wouldn't shouldn't mustn't"
)
VERBS: Final = _stems(
    "write build win lose begin start die bury buy sell make take hold lead fight find speak sing rise lie come go give get stand sit run "
    "become teach catch bring say see know grow draw fall eat leave meet marry strike sink steal keep pay tell send spend wear choose drive "
    "fly show swim design found establish discover invent direct compose paint sculpt publish release open close inaugurate complete finish "
    "acquire own appoint elect resign join sign reign rule occur arrive land crash kill climb cover stretch weigh measure last cost earn "
    "employ seat finish rank live reside work flow empty drain orbit border belong originate name call use play star feature speak study "
    "attend graduate receive award export import produce contain include consist comprise attract visit support oppose serve move settle "
    "return travel cross connect link span reach supply generate provide need require live inhabit breed lay hatch feed hunt prefer like "
    "love enjoy host stage perform record tour sponsor fund praise criticise describe mention depict portray illustrate translate edit "
    "succeed precede replace follow defeat beat vote pass reject approve adopt ban allow permit uphold overturn confirm refute prove show "
    "demonstrate suggest claim state report estimate predict plan propose expect remain stay survive collapse burn destroy demolish rebuild "
    "restore renovate expand extend grow shrink increase decrease decline drop fall climb double halve exceed total average score shoot "
    "train coach manage chair head captain conduct command rule govern represent lack resemble mean derive stem cause result trigger "
    "prevent cure treat infect affect damage threaten endanger protect dissolve boil melt freeze burn explode emit absorb reflect contain "
    "carry transport house store hold accommodate display exhibit broadcast air premiere debut appear depend rely differ vary change turn "
    "convert adapt base inspire draw raise collect gather donate inherit bequeath sue charge convict acquit sentence arrest escape flee "
    "migrate emigrate immigrate desert abandon evacuate occupy invade conquer capture liberate annex cede purchase lease rent hire fire "
    "dismiss promote demote retire qualify compete enter launch dock ship sail depart board operate function serve offer teach educate "
    "lecture research isolate observe identify detect describe classify list rate set break hold improve equal match surpass bind tie "
    "share divide split separate merge combine unite belong descend trace date issue mint print bear ripen bloom flower nest hibernate "
    "act behave contribute belong admit carry fit mention enjoy amount account stand begin ask answer lift push pull eject orbit melt rust float swim hibernate moult digest consume spread invest merge vote elect protest strike negotiate "
    "lower raise ease soften boost form reform shape recognise recognize cut rent bake cook fry brew taste smell hear listen look watch guard defend attack raid bomb besiege rescue save help harm hurt injure wound heal cure pray worship sit sleep wake dream laugh cry swear deny admit accept refuse object argue debate discuss explain clarify define denote symbolise symbolize resemble contrast compare judge test try examine inspect measure count calculate compute store load download install run compile execute encrypt encode transmit receive send deliver dispatch forward import unload dump dig mine drill excavate unearth uncover reveal conceal hide bury plant sow reap harvest farm herd milk shear slaughter butcher trade sell barter swap exchange lend borrow owe donate bank insure tax fine penalise ban license authorise authorize certify accredit enrol enroll register graduate expel suspend punish reward compensate refund settle sign ratify repeal amend revise draft propose table debate oppose endorse nominate campaign canvass poll protest riot rebel revolt overthrow depose exile banish deport imprison jail detain release free pardon execute hang behead crucify poison stab strangle drown suffocate starve scatter cremate entomb exhume embalm mummify "
    "hail pioneer devise develop create craft carve fashion cast forge weave wed divorce adopt baptise convert worship pray celebrate "
    "commemorate honour honor mark face overlook adjoin surround enclose dominate house crown ascend abdicate sire father mother"
)
"""Stems of common verbs; a word that ends in -ed counts as a verb as well."""
PARTICIPLES: Final = word_set(
    "built written won lost begun made taken held led fought found spoken sung risen given known grown drawn eaten left met struck sunk "
    "stolen kept paid told sent spent worn chosen driven flown shown swum bought sold born borne buried laid set cut put read shot taught "
    "caught brought bound hit run become beaten hidden frozen woven broken split cast spread hung wed"
)
"""Irregular participles; -ed forms are found by their ending."""
ONE_OBJECT: Final = _stems(
    "marry wed succeed precede replace orbit become elect choose appoint name call mean represent crown inherit cost weigh measure equal "
    "total enter reach follow head lead chair captain coach manage conduct govern occupy retain resemble select nominate earn "
    "finish score defeat bear consist comprise cause adopt propose"
)
"""Verbs whose object is one thing at a time; what any other active verb does, it can do to several."""
MANY_AGENTS: Final = _stems(
    "visit attend praise criticise support oppose sponsor fund use like love hate enjoy study describe mention teach perform sing tour join "
    "watch read speak inhabit work compete eat star appear feature serve help witness donate influence play contain include contribute "
    "travel admire recommend endorse collaborate cooperate participate sign recognise recognize cite quote translate cover exhibit"
)
"""Verbs that several agents can do to one thing."""
MANY_PLACES: Final = _stems(
    "perform tour play teach study work visit travel appear campaign exhibit grow compete occur speak sell use show broadcast operate "
    "cultivate mine lecture act sing trade practise practice serve export ship hunt inhabit migrate spread flower train collaborate"
)
"""Verbs that can be done in several places."""
MANY_FRAMES: Final = (
    "father of", "mother of", "parent of", "brother of", "sister of", "uncle of", "aunt of", "cousin of", "grandfather of", "grandmother of", "ancestor of", "known for", "famous for", "noted for", "renowned for", "remembered for", "interested in", "fond of", "specialises in", "specializes in",
    "is found in", "are found in", "common in", "available in", "active in", "offices in", "rich in", "popular with", "popular in", "used for",
    "used in", "member of", "fluent in", "skilled in", "good at", "expert in", "expert on", "friends with", "friend of", "related to", "twinned with",
    "sister city", "twin town", "degree in", "worked with", "worked for", "worked as", "works as", "working as", "can be seen", "can be found", "experience in", "part of",
    "published on", "written on", "works on", "research on", "writes on", "wrote about", "writes about", "lectured on", "wrote on", "influenced by", "inspired by", "allergic to", "partner of", "partners with", "opposed to", "fan of", "shares a border", "borders", "branch in", "branches in", "home to",
)  # fmt: skip
"""Phrases whose value is one of several."""
PROFESSIONS: Final = word_set(
    "actor actress architect artist astronomer athlete author baker banker barrister biologist botanist boxer broadcaster businessman "
    "businesswoman carpenter cellist chef chemist choreographer comedian composer conductor cook critic cricketer cyclist dancer dentist "
    "designer diplomat director doctor economist editor engineer entrepreneur essayist explorer farmer filmmaker fisherman footballer "
    "gardener geologist golfer guitarist historian humorist illustrator inventor investor jockey journalist judge lawyer lecturer librarian "
    "linguist magician mathematician mechanic merchant miner missionary model musician naturalist novelist nun nurse painter pediatrician "
    "philanthropist philosopher photographer physician physicist pianist pilot playwright poet politician potter presenter priest producer "
    "programmer psychologist publisher rapper sailor scholar schoolteacher scientist screenwriter sculptor shoemaker singer sociologist "
    "soldier songwriter surgeon surveyor swimmer tailor teacher translator trader violinist weaver writer zoologist drummer organist soprano "
    "flautist activist blacksmith butcher clergyman pastor theologian printer goldsmith wrestler runner skier hairdresser"
)
GENERIC_NOUNS: Final = word_set(
    "thing things kind type form object substance condition disease illness place group organisation organization institution event piece person "
    "someone something people structure building official animal creature plant instrument device product company firm business relative member weeks months "
    "years days centuries decades several many few some various numerous part work family friend rival somewhere man woman material metal"
)
"""Nouns so wide that a specific one beside them is a refinement, not another value."""
PEOPLE_WORDS: Final = word_set(
    "people person persons inhabitant inhabitants resident residents member members employee employees worker workers staff man men woman "
    "women citizen citizens soul souls passenger passengers visitor visitors seat seats deputy deputies delegate delegates lawmakers legislators student students pupil pupils guest guests spectator spectators"
)
"""Nouns that count people."""
KIN_HEADS: Final = word_set(
    "father mother brother sister son daughter wife husband uncle aunt nephew niece cousin grandfather grandmother grandson granddaughter "
    "widow widower friend teacher pupil student successor predecessor rival twin ancestor descendant family assistant partner colleague "
    "brother-in-law sister-in-law father-in-law mother-in-law parents children daughters sons siblings"
)
"""Nouns for another person beside the one they are related to."""
ATTRIBUTE_HEADS: Final = _stems(
    "capital name size length width height depth population area surface weight mass speed age price cost value number total rate level amount "
    "volume diameter temperature headquarters office birthplace birth death grave tomb source mouth colour color shape form origin cause date "
    "year place location position site home construction completion opening founding foundation discovery invention publication release signing "
    "building design result outcome verdict score budget output power capacity duration period motto anthem currency language religion "
    "title genre subject life career reign work works rest majority most all one two three each half version text course run record summit top span "
    "wingspan elevation altitude measure use inhabitants residents people citizens members crew salary ownership nickname flower bird symbol flag "
    "material acquisition killing murder assassination sale purchase start beginning end battle treaty siege premiere performance music role specimen "
    "activity specimens example examples copies operation operations eruption first music lyrics building"
)
"""Nouns that name an attribute of the thing after 'of', not another thing."""
