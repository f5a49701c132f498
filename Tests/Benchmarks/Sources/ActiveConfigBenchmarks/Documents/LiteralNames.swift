/// Literal names of 16 bytes: like the names in an app's code, they are not reference-counted.
enum LiteralNames {
    /// Ten names of sections.
    static let sections: [String] = [
        "CheckoutFeatures", "StartScreenTexts", "FavouritesScreen", "NetworkIntervals",
        "SearchExperiment", "VideoPlayerLimit", "OnboardingScreen", "PushNotification",
        "PurchaseTextList", "RatingDialogRule",
    ]

    /// A hundred keys, the same in each section.
    static let keys: [String] = [
        "welcome_banner00", "welcome_banner01", "welcome_banner02", "welcome_banner03",
        "welcome_banner04", "welcome_banner05", "welcome_banner06", "welcome_banner07",
        "welcome_banner08", "welcome_banner09", "checkout_offer10", "checkout_offer11",
        "checkout_offer12", "checkout_offer13", "checkout_offer14", "checkout_offer15",
        "checkout_offer16", "checkout_offer17", "checkout_offer18", "checkout_offer19",
        "profile_avatar20", "profile_avatar21", "profile_avatar22", "profile_avatar23",
        "profile_avatar24", "profile_avatar25", "profile_avatar26", "profile_avatar27",
        "profile_avatar28", "profile_avatar29", "search_history30", "search_history31",
        "search_history32", "search_history33", "search_history34", "search_history35",
        "search_history36", "search_history37", "search_history38", "search_history39",
        "login_reminder40", "login_reminder41", "login_reminder42", "login_reminder43",
        "login_reminder44", "login_reminder45", "login_reminder46", "login_reminder47",
        "login_reminder48", "login_reminder49", "rating_request50", "rating_request51",
        "rating_request52", "rating_request53", "rating_request54", "rating_request55",
        "rating_request56", "rating_request57", "rating_request58", "rating_request59",
        "video_autoplay60", "video_autoplay61", "video_autoplay62", "video_autoplay63",
        "video_autoplay64", "video_autoplay65", "video_autoplay66", "video_autoplay67",
        "video_autoplay68", "video_autoplay69", "image_prefetch70", "image_prefetch71",
        "image_prefetch72", "image_prefetch73", "image_prefetch74", "image_prefetch75",
        "image_prefetch76", "image_prefetch77", "image_prefetch78", "image_prefetch79",
        "sync_over_wifi80", "sync_over_wifi81", "sync_over_wifi82", "sync_over_wifi83",
        "sync_over_wifi84", "sync_over_wifi85", "sync_over_wifi86", "sync_over_wifi87",
        "sync_over_wifi88", "sync_over_wifi89", "push_frequency90", "push_frequency91",
        "push_frequency92", "push_frequency93", "push_frequency94", "push_frequency95",
        "push_frequency96", "push_frequency97", "push_frequency98", "push_frequency99",
    ]
}
