"""What the system tests share: the server as a process, a client that sees every byte, documents, and the verdict."""
