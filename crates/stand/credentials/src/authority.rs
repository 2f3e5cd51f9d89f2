//! A private certificate authority, and what it signs.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

use crate::{CredentialsError, documents};

/// The first and the last year of certificates that are to be valid whatever a machine's clock shows.
pub const LASTING: [i32; 2] = [2020, 2100];

/// An authority with its key, which never leaves it.
pub struct Authority {
    pem: String,
    der: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate that an authority has signed, with its key, both as PEM (RFC 7468); keys are ECDSA over P-256.
pub struct Signed {
    /// The certificate alone, without the authority's.
    pub certificate: String,
    /// Its key, as PKCS 8 (RFC 5958).
    pub key: String,
}

impl Signed {
    /// The key followed by the certificate.
    pub fn both(&self) -> String {
        self.key.clone() + &self.certificate
    }
}

impl Authority {
    /// Creates an authority of this name, with a new key.
    ///
    /// # Errors
    /// When the library can't create it.
    pub fn new(name: &str) -> Result<Self, CredentialsError> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // The first is for signing documents.
        params.key_usages =
            vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        [params.not_before, params.not_after] = LASTING.map(|year| date_time_ymd(year, 1, 1));
        let key = KeyPair::generate()?;
        let own = params.self_signed(&key)?;
        Ok(Authority { pem: own.pem(), der: own.der().to_vec(), issuer: Issuer::new(params, key) })
    }

    /// The authority's own certificate, as PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A server's certificate for these names and IP addresses, valid from the beginning of one year to the beginning of another.
    ///
    /// # Errors
    /// When a name is not valid.
    pub fn server(&self, names: &[&str], years: [i32; 2]) -> Result<Signed, CredentialsError> {
        self.sign("broker", names, years, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A client's certificate with this name, valid for the same span as [`server`](Self::server)'s.
    ///
    /// # Errors
    /// When the library can't create it.
    pub fn client(&self, name: &str, years: [i32; 2]) -> Result<Signed, CredentialsError> {
        self.sign(name, &[], years, ExtendedKeyUsagePurpose::ClientAuth)
    }

    /// The governance document of DDS Security, which says what is protected, as a signed message (S/MIME).
    ///
    /// # Errors
    /// When the library can't sign.
    pub fn governance(&self) -> Result<String, CredentialsError> {
        documents::signed(&documents::governance(), &self.der, self.issuer.key())
    }

    /// The permissions document of DDS Security, which says what a client of this name may publish and subscribe to, as a signed message
    /// (S/MIME). Topics may have wildcards; neither argument is escaped, so neither may contain XML's special characters.
    ///
    /// # Errors
    /// When the library can't sign.
    pub fn permissions(&self, name: &str, topics: &str) -> Result<String, CredentialsError> {
        documents::signed(&documents::permissions(name, topics), &self.der, self.issuer.key())
    }

    fn sign(
        &self,
        name: &str,
        names: &[&str],
        years: [i32; 2],
        usage: ExtendedKeyUsagePurpose,
    ) -> Result<Signed, CredentialsError> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, name);
        [params.not_before, params.not_after] = years.map(|year| date_time_ymd(year, 1, 1));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![usage];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        Ok(Signed { certificate: params.signed_by(&key, &self.issuer)?.pem(), key: key.serialize_pem() })
    }
}
