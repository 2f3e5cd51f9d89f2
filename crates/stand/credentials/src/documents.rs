//! The documents of DDS Security that an authority issues: governance and permissions (version 1.1, sections 9.4.1.2 and 9.4.1.3), each
//! signed as S/MIME.

use cms::cert::x509::Certificate;
use cms::cert::x509::der::asn1::{OctetString, SetOfVec};
use cms::cert::x509::der::oid::db::rfc5911::{ID_DATA, ID_SIGNED_DATA};
use cms::cert::x509::der::oid::db::rfc5912::{ECDSA_WITH_SHA_256, ID_SHA_256};
use cms::cert::x509::der::pem::{LineEnding, encode_string};
use cms::cert::x509::der::{self, Any, Decode, Encode};
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::cert::{CertificateChoices, IssuerAndSerialNumber};
use cms::content_info::{CmsVersion, ContentInfo};
use cms::signed_data::{EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo};
use rcgen::{KeyPair, SigningKey};

use crate::{CredentialsError, LASTING};

/// The domains of the documents: all that Cyclone DDS accepts in one, two fewer than exist.
const DOMAINS: &str = "<domains><id_range><min>0</min><max>230</max></id_range></domains>";

/// The governance document, with the defaults of ROS 2 (sros2), the same for all topics. Participants must authenticate;
/// discovery, submessages and samples are encrypted separately; messages are signed as a whole.
pub fn governance() -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_governance.xsd">
  <domain_access_rules>
    <domain_rule>
      {DOMAINS}
      <allow_unauthenticated_participants>false</allow_unauthenticated_participants>
      <enable_join_access_control>true</enable_join_access_control>
      <discovery_protection_kind>ENCRYPT</discovery_protection_kind>
      <liveliness_protection_kind>ENCRYPT</liveliness_protection_kind>
      <rtps_protection_kind>SIGN</rtps_protection_kind>
      <topic_access_rules>
        <topic_rule>
          <topic_expression>*</topic_expression>
          <enable_discovery_protection>true</enable_discovery_protection>
          <enable_liveliness_protection>true</enable_liveliness_protection>
          <enable_read_access_control>true</enable_read_access_control>
          <enable_write_access_control>true</enable_write_access_control>
          <metadata_protection_kind>ENCRYPT</metadata_protection_kind>
          <data_protection_kind>ENCRYPT</data_protection_kind>
        </topic_rule>
      </topic_access_rules>
    </domain_rule>
  </domain_access_rules>
</dds>
"#
    )
}

/// The permissions document: the only topics that the holder of the certificate for this name may publish and subscribe to; they may have
/// wildcards as in `fnmatch`. Neither argument is escaped, so neither may contain XML's special characters.
pub fn permissions(name: &str, topics: &str) -> String {
    let [begin, end] = LASTING;
    let topics = format!("<topics><topic>{topics}</topic></topics>");
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_permissions.xsd">
  <permissions>
    <grant name="clients">
      <subject_name>CN={name}</subject_name>
      <validity>
        <not_before>{begin}-01-01T00:00:00Z</not_before>
        <not_after>{end}-01-01T00:00:00Z</not_after>
      </validity>
      <allow_rule>
        {DOMAINS}
        <publish>{topics}</publish>
        <subscribe>{topics}</subscribe>
      </allow_rule>
      <default>DENY</default>
    </grant>
  </permissions>
</dds>
"#
    )
}

/// Separates the parts of a signed document; no document contains it.
const BOUNDARY: &str = "----wiredyno-signed";

/// A text followed by its signature by an authority, whose certificate (DER) is included: multipart/signed (RFC 8551, section 3.5.3).
pub fn signed(text: &str, certificate: &[u8], key: &KeyPair) -> Result<String, CredentialsError> {
    // Signed lines end with CR LF, as in mail.
    let content = format!("Content-Type: text/plain\n\n{text}").replace('\n', "\r\n");
    let signature = key.sign(content.as_bytes())?;
    let pem = signature_pem(certificate, signature).map_err(CredentialsError::Signature)?;
    let base64: Vec<&str> = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let base64 = base64.join("\r\n");
    Ok(format!(
        "MIME-Version: 1.0\r\n\
         Content-Type: multipart/signed; protocol=\"application/pkcs7-signature\"; micalg=\"sha-256\"; boundary=\"{BOUNDARY}\"\r\n\r\n\
         --{BOUNDARY}\r\n{content}\r\n--{BOUNDARY}\r\n\
         Content-Type: application/pkcs7-signature; name=\"smime.p7s\"\r\n\
         Content-Transfer-Encoding: base64\r\n\
         Content-Disposition: attachment; filename=\"smime.p7s\"\r\n\r\n\
         {base64}\r\n\r\n--{BOUNDARY}--\r\n"
    ))
}

/// SignedData without content and attributes, so that the signature covers the content itself (RFC 5652, section 5.4).
fn signature_pem(certificate: &[u8], signature: Vec<u8>) -> der::Result<String> {
    let certificate = Certificate::from_der(certificate)?;
    let algorithm = |oid| AlgorithmIdentifierOwned { oid, parameters: None };
    let issuer = IssuerAndSerialNumber {
        issuer: certificate.tbs_certificate.issuer.clone(),
        serial_number: certificate.tbs_certificate.serial_number.clone(),
    };
    let signer = SignerInfo {
        version: CmsVersion::V1,
        sid: SignerIdentifier::IssuerAndSerialNumber(issuer),
        digest_alg: algorithm(ID_SHA_256),
        signed_attrs: None,
        signature_algorithm: algorithm(ECDSA_WITH_SHA_256),
        signature: OctetString::new(signature)?,
        unsigned_attrs: None,
    };
    let data = SignedData {
        version: CmsVersion::V1,
        digest_algorithms: SetOfVec::try_from(vec![algorithm(ID_SHA_256)])?,
        encap_content_info: EncapsulatedContentInfo { econtent_type: ID_DATA, econtent: None },
        certificates: Some(vec![CertificateChoices::Certificate(certificate)].try_into()?),
        crls: None,
        signer_infos: vec![signer].try_into()?,
    };
    let info = ContentInfo { content_type: ID_SIGNED_DATA, content: Any::encode_from(&data)? };
    encode_string("CMS", LineEnding::LF, &info.to_der()?).map_err(der::Error::from)
}
