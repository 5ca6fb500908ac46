"""Certificates of a private authority, made anew for each test: no key is stored anywhere."""

import os
import ssl
import subprocess


class Authority:
    """Signs certificates for 127.0.0.1; `path` is its own certificate, for `--cacert`."""

    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, "authority.pem")
        self.key = self._key("authority.key")
        self._openssl("req", "-x509", "-new", "-key", self.key, "-days", "30", "-subj", "/CN=Test authority",
                      "-out", self.path)
        self.extensions = os.path.join(folder, "extensions")
        with open(self.extensions, "w") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")

    def context(self, oldest=None, newest=None):
        """What a client needs that trusts this authority alone, with the versions of TLS that it can speak."""
        context = ssl.create_default_context(cafile=self.path)
        if newest:
            # Clients of today refuse these versions themselves, unless they are told not to.
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = oldest or newest
            context.maximum_version = newest
        return context

    def issue(self, name, days=30, chain=True):
        """The paths of a new certificate and its key; with the authority's own behind it unless `chain` is false.

        With fewer than zero days it has expired.
        """
        key = self._key(f"{name}.key")
        request = os.path.join(self.folder, f"{name}.csr")
        certificate = os.path.join(self.folder, f"{name}.pem")
        self._openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.path, "-CAkey", self.key, "-CAcreateserial",
                      "-days", str(days), "-extfile", self.extensions, "-out", certificate)
        if chain:
            with open(certificate, "a") as file, open(self.path) as own:
                file.write(own.read())
        return certificate, key

    def _key(self, name):
        path = os.path.join(self.folder, name)
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)
        os.chmod(path, 0o600)
        return path

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)
