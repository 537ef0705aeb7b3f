"""Generation: all prose of the page, section by section."""

from dataclasses import replace

from core.results.dalle_results import CHANCE, THROUGH
from core.zoo.attention_gans import ALIKE, AS_LEARNED, CUT
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
WRITE, SOURCES, GO_ON, CODES, PAINTED, SIDE_BY_SIDE, MEASURED = (
    "Write a sentence",
    "Who told it?",
    "Go on",
    "Pictures as words",
    "Painted in stages",
    "Side by side",
    "Measured",
)

PAGE = PageWords(
    question="Where does a new picture come from?",
    lead="Write a sentence: DALL-E and an attention GAN draw it, and you see which words each place attends to.",
    about=(
        "A sentence goes in, and a new picture comes out. DALL-E (Ramesh et al. 2021) represents a picture by 256 "
        "codes, and continues your sentence with them as a GPT continues a text. An attention GAN (Xu et al. 2018) "
        "paints all places at once, first small, then larger, and each place attends to the words twice."
    ),
    try_this=(),
    references=references("DALLE", "ATTNGAN", "VQ_VAE", "GUMBEL", "FRECHET"),
)

WORLDS = {"scenes": "Drawn scenes", "emoji": "Emoji"}
NO_WEIGHTS = (
    "The networks that draw are not here yet: there is no dalle/scenes.safetensors. Fetch the project again, or train "
    "them: python -m training.discrete_vae.train, python -m training.dalle.train, then python -m training.dalle.report."
)
NO_PAINTER = (
    "The network that paints in stages is not here yet: there is no attention-gan/scenes.safetensors. Fetch the "
    "project again, or train it: python -m training.attention_gan.train, then python -m training.attention_gan.report."
)
NO_READER = (
    "The network that reads scenes is not here (python -m training.scene_reader.train), so the page cannot say which "
    "statements hold."
)
WAITING = "waits for its turn"
STOPPED = "You stopped this drawing. Change something, or draw it after all."
WHO_TOLD = "Who told it?"
OTHERS = "The other {count}, in the order of CLIP"
ALL_CODES = "all codes"
TOPS = {"8 codes": 8, "32 codes": 32, "128 codes": 128, ALL_CODES: 0}
ABOUT_TEMPERATURE = "0: always the most probable code. 1: the model's own probabilities. Above 1: more evenly."

WRITE_NOTES = replace(
    PAGE,
    try_this=(
        "Of the 16 candidates, does CLIP rank those first that show everything?",
        "Set the temperature to 0: all candidates become the same, because nothing is left to chance.",
        "Among drawn scenes choose “Never joined”: colour and shape were both learned, but never together in one "
        "thing.",
    ),
)
DRAWN, GIVEN = "drawn from the sentence", "a scene or photograph"
SOURCES_NOTES = replace(
    PAGE,
    try_this=(
        "Point at a part of the ground, then at the edge of a thing. Which attends more to the words?",
        "Point at a word. Which parts of the picture attend to it?",
        "Go through the layers: the mask of each allows attention to some earlier parts only.",
    ),
)
SOURCES_ABOUT = (
    "Point at any part of the picture. The code of a part is predicted at the token before it, so the map shows the "
    "attention of that token: to the words, and to all parts up to there."
)
GIVEN_ABOUT = "The model did not draw this picture: it reads its codes with your sentence, as if it had written them."
OTHER_CODE, HALF = "another code", "half a picture"
GO_ON_ABOUT = (
    "Click a part of the picture and take another code there: the rest is drawn again with the same random numbers."
)
HALF_ABOUT = "The upper rows are the codes of another picture; the model draws the rest for your sentence."
CLICK_A_PART = "Click a part to take another code there."
CODES_OFFERED = (
    "The ten most probable codes here, each painted in its surroundings. Take one, and everything after it is drawn "
    "again."
)
DRAWN_HERE = "This one was drawn."
AS_DRAWN, WITH_OTHER = "As it was drawn", "With the other code"
CLICK_A_CODE = "Point at a place to see its code; click to mark the code."
CODEBOOK_HINT = "The {used} codes of this picture stand first, the most frequent in front. Click one to mark it above."
GO_ON_NOTES = replace(
    PAGE,
    try_this=(
        "Take an improbable code in the ground. Does the model turn it into a thing, or ignore it?",
        "Take another code inside a thing: does the thing change its colour from there on?",
        "Choose “half a picture”, give a scene, and name in the sentence a thing that is not there yet.",
    ),
)
CODES_ABOUT = (
    "The picture is cut into 16 × 16 places, and each gets one of 512 codes: 256 numbers replace 12,288 values. The "
    "middle picture shows each code alone, painted among copies of itself; the right one is painted from all of them "
    "together."
)
CODES_PHOTO = "The autoencoder has seen {world} only: of a photograph it keeps only what looks like them."
CODES_NOTES = replace(
    PAGE,
    try_this=(
        "Click a code in the codebook to see where the picture uses it.",
        "Give a photograph: what is lost, and what is left?",
        "Compare both ways to choose a code: whose error is smaller, and which uses more of the codebook?",
    ),
)
# Painted in stages.
STAGES, SWAP, WALK = "stages and words", "another word", "a walk through noise"
DALLE, NETWORK, THE_NETWORK = "DALL-E", "attention GAN", "Attention GAN"
STAGE = "{side} × {side}"
FIRST_STAGE = "from sentence and noise"
STAGES_TOLD = {
    AS_LEARNED: "its places attend to the words",
    ALIKE: "with the mean of the words",
    CUT: "without the words",
}
MAP = "for the {side} × {side} picture"
MAP_SAYS = "Of what all places took of “{word}”, {share} belongs"
TAKEN = "All places together took {share} of their words from here."
PAINTED_ABOUT = (
    "The picture is painted three times, each time twice as large. Before the second and the third time each place "
    "attends to the words: it takes a mean of them, weighted by how well they fit. Point at a word to see which places "
    "attend to it."
)
PAINTED_OTHERWISE = {
    ALIKE: "Here no place chooses: in both later stages each takes the plain mean of all words.",
    CUT: "Here no place takes anything from the words: the sentence enters as a whole, and only in the first stage.",
}
LOOKS_ABOUT = (
    "What each place takes from the words: as it learned; from all words equally; or nothing, so that the sentence "
    "enters as a whole, and only in the first stage."
)
SWAP_ABOUT = "The noise stays, and one word is exchanged. What changes in the picture?"
NOTHING_TO_SWAP = (
    "No word of this sentence can be exchanged for another of its kind. Write one that names a colour or a shape."
)
BEFORE, AFTER, MOVED = "As it was", "With the other word", "What moved"
WALK_ABOUT = (
    "The sentence stays, and the noise goes from one sample to another in equal steps along a great circle. What does "
    "the noise decide?"
)
PAINTED_NOTES = replace(
    PAGE,
    try_this=(
        "Point at a colour, then at a shape: do they paint in the same places?",
        "Cut word attention: what is lost, and what did the first stage already know?",
        "Compare both maps of one word: do finer places look more sharply?",
    ),
)
SWAP_NOTES = replace(
    PAGE,
    try_this=(
        "Change a colour, then a shape: which moves more of the picture?",
        "Cut word attention and change the word again: how much of the change came through the words?",
    ),
)
WALK_NOTES = replace(
    PAGE,
    try_this=(
        "Watch the ground: does the sentence say anything about it?",
        "Say more (“a large striped purple heart”): does the noise decide less?",
    ),
)
SIDE_ABOUT = (
    "The same sentence for both: DALL-E writes its picture code by code, the attention GAN paints all places at once."
)
SIDE_NOTES = replace(
    PAGE,
    try_this=(
        "Take a sentence with a relation: which network keeps above and below apart?",
        "Draw 16 with each: whose pictures differ more?",
        "Compare the seconds: one of them reads itself 256 times.",
    ),
)
TABLE_ABOUT = (
    "Of the pictures above. Diversity: the root of the mean squared difference of pixels (0 to 1) between two of them. "
    "Seconds: how long they took when they were first computed here."
)

MEASURED_NOTES = replace(
    PAGE,
    try_this=(
        "Compare one drawing with the best of 16: for which kind of word does CLIP's choice help?",
        "Compare new sentences with pairs that were never joined.",
    ),
)
MEASURED_ABOUT = (
    "Sentences that nobody learned from are drawn, and a network that reads scenes says which of their words hold. By "
    "chance: what holds in the true scene of another sentence. Reachable: what is read of the true scene after its way "
    "through the codes, which no drawing can be expected to beat. Bars are two standard errors."
)
MEASURED_PAINTED_NOTES = replace(
    PAGE,
    try_this=(
        "Compare the attention GAN with DALL-E: for which kind of word is each of them better?",
        "Look at what is left of colours and shapes when word attention is cut.",
        "Compare both distances in the table: can pictures differ much and yet lie near true scenes?",
    ),
)
PAINTED_MEASURED_ABOUT = (
    "Sentences that nobody learned from are painted, and a network that reads scenes says which of their words hold. "
    "By chance: what holds in the true scene of another sentence. Bars are two standard errors."
)
WORDS_WORTH_ABOUT = (
    "New scenes, one picture each. Cut: the later stages take nothing of words; alike: each place takes the mean of "
    "all words. The network was never trained this way: what is then missing is what looking at the words contributes."
)
CROWDS_ABOUT = (
    "Many pictures, each of another sentence. Fréchet distance: between the features of these pictures and those of "
    "other true scenes, as our own reader of scenes has them (the mean over all places before its last layer); what "
    "true scenes themselves have is the floor. Diversity: how far pictures of one sentence lie apart (root of the mean "
    "squared difference of pixels); of true scenes, those of different sentences."
)
BOUNDS = {CHANCE: "by chance: another picture", THROUGH: "reachable: the true scene, through codes"}
KINDS_HELP = "A kind of word, all of them, or whole sentences in which everything holds."
CANDIDATES_ABOUT = (
    "Of this many candidates, the one that CLIP finds nearest to the sentence: how much of what was said holds in it?"
)
ERRORS_ABOUT = (
    "Held-out pictures on their way through an autoencoder: mean squared error of values 0 to 1, the same in decibels, "
    "that of the mean colour of each picture; how many codes are used at all, and how many codes, used equally often, "
    "would be as hard to guess."
)
