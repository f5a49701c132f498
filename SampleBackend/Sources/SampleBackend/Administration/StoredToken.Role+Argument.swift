public import ArgumentParser
public import TemplateStore

extension StoredToken.Role: ExpressibleByArgument {}
