import EtcdTemplateStore
import Testing

@Suite("The location of a store in etcd")
struct EtcdLocationTests {
    @Test func aLocationIsParsed() throws {
        let plain = try EtcdLocation(parsing: "http://a:2379,http://[::1],http://c:1/")
        #expect(plain.members == ["http://a:2379", "http://[::1]:2379", "http://c:1"])
        #expect(plain.prefix == "/activeconfig/")
        #expect(plain.description == "etcd:http://a:2379,http://[::1]:2379,http://c:1")
        let full = try EtcdLocation(
            parsing: "https://a?prefix=/x&ca=a%20b.pem&cert=c.pem&key=k.pem&user=u&password-file=p")
        #expect(full.prefix == "/x/")
        #expect(full.authorityFile == "a b.pem")
        #expect(full.certificateFile == "c.pem")
        #expect(full.keyFile == "k.pem")
        #expect(full.user == "u")
        #expect(full.passwordFile == "p")
    }

    @Test(
        arguments: [
            ("", "not an address"), ("a:2379", "not an address"), ("http://", "not an address"),
            ("http://a,", "not an address"), ("http://a:2379/v3", "not an address"),
            ("ftp://a", "not an address"), ("http://a:0", "no port 0"),
            ("http://u:s3cret@a", "?user=NAME&password-file=FILE"),
            ("http://u:s3cret@a/v3", "?user=NAME"), ("http://u:s3,cret@a", "?user=NAME"),
            ("http://u:s3cret?x@a", "member 1 is not an address"),
            ("http://a?user=u&password=s3cret", "no parameter \"password\""),
            ("http://a?prefix=%zzs3cret", "has no value"), ("http://a?s3cret", "has no value"),
            ("http://a?x=1", "no parameter \"x\""),
            ("http://a?prefix=", "has no value"), ("http://a?prefix", "has no value"),
            ("https://a?cert=c", "both cert and key"), ("http://a?user=u", "both user and"),
            ("http://a?ca=c", "has no TLS"),
        ])
    func aFaultIsNamed(_ text: String, _ reason: String) {
        let error = #expect(throws: EtcdLocationError.self) { try EtcdLocation(parsing: text) }
        #expect(error?.description.contains(reason) == true)
        // The description does not contain the password.
        #expect(error?.description.contains("s3cret") == false)
    }
}
