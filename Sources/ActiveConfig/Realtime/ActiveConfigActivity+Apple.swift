extension ActiveConfigActivity {
    /// Observes the app's notifications and the network on Apple's platforms; ``always`` elsewhere.
    public static var automatic: ActiveConfigActivity { .always }
}
