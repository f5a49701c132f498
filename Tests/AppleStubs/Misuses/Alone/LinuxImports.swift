import FoundationNetworking  // misuse
