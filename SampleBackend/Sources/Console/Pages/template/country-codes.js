/**
 * Codes of countries for what people write instead: codes of three letters, as of ISO 3166-1, and
 * names in the main language of the country, such as Deutschland.
 */

/** Pairs of a code of three letters and one of two, without a space between them. */
const codes = 'ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG '
    + 'AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY '
    + 'BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN '
    + 'CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ '
    + 'DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ '
    + 'FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ '
    + 'GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM '
    + 'INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG '
    + 'KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU '
    + 'LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME '
    + 'MNGMN MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG '
    + 'NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG '
    + 'POLPL PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN '
    + 'SGPSG SGSGS SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK '
    + 'SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO '
    + 'TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE '
    + 'VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW';

const byThreeLetters = new Map(codes.split(' ').map((pair) => [pair.slice(0, 3), pair.slice(3)]));

/** @type {?Map<string, string>} */
let byOwnName = null;

/** Codes by the name in the main language of the country, in lower case. */
function ownNames() {
    return new Map([...byThreeLetters.values()].flatMap((code) => {
        const {language} = new Intl.Locale(`und-${code}`).maximize();
        const name = new Intl.DisplayNames(language, {type: 'region', fallback: 'none'}).of(code);
        return name ? [[name.toLowerCase(), code]] : [];
    }));
}

/**
 * Code of two letters that a text means; undefined for other texts.
 *
 * @param {string} text
 */
export function countryCode(text) {
    const found = byThreeLetters.get(text.toUpperCase());
    if (found) return found;
    // Hundreds of names: only for a text that is not known otherwise.
    byOwnName ??= ownNames();
    return byOwnName.get(text.toLowerCase());
}
