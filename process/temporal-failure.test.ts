import { expect, test } from '@jest/globals';
import { describeTemporalFailure } from './temporal-failure.ts';

/** As the SDK's two clients say the same thing: the one of Node, then the native one. */
test.each([
  [
    'UNAVAILABLE: No connection established. Last error: 40CD:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../rec_layer_s3.c:918:SSL alert number 116\n',
    'hyper::Error(Io, Custom { kind: InvalidData, error: "received fatal alert: CertificateRequired" })',
    /asks for a client certificate/,
  ],
  [
    'UNAVAILABLE: No connection established. Last error: Error: self-signed certificate in certificate chain.',
    'ConnectError(Custom { kind: InvalidData, error: InvalidCertificate(UnknownIssuer) })',
    /authority that is not known here/,
  ],
  [
    "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: Host: a.b.",
    'InvalidCertificate(NotValidForNameContext { expected: DnsName("a.b"), presented: [] })',
    /for another host name/,
  ],
  ['SSL routines:tls_validate_record_header:wrong version number', 'InvalidMessage(InvalidContentType)', /no TLS/],
  [
    'Last error: Error: connect ECONNREFUSED 127.0.0.1:1.',
    'ConnectError("tcp connect error", 127.0.0.1:1, Os { code: 111, kind: ConnectionRefused })',
    /^connection refused/,
  ],
  ['14 UNAVAILABLE: Name resolution failed for target dns:a.b:7233', 'ConnectError("dns error", …)', /no host/],
  [
    'UNAVAILABLE: No connection established. Last error: Failed to connect (2026-01-01T00:00:00Z).',
    'Custom { kind: BrokenPipe, error: "stream closed because of a broken pipe" }',
    /may want TLS/,
  ],
  [
    '16 UNAUTHENTICATED: Request unauthorized.',
    'code: \'The request does not have valid authentication credentials\', message: ""',
    /check the API key/,
  ],
])('what the clients call %s is one plain line', (ofNode, ofNative, sentence) => {
  expect(describeTemporalFailure(new Error('Failed', { cause: new Error(ofNode) }))).toMatch(sentence);
  expect(describeTemporalFailure(new Error(`Failed to call GetSystemInfo: ${ofNative}`))).toMatch(sentence);
});

test('what the server says of a refusal is told along', () => {
  const cause = Object.assign(new Error('7 PERMISSION_DENIED: Request unauthorized.'), {
    code: 7,
    details: 'Request unauthorized.',
  });
  expect(describeTemporalFailure(new Error('Failed to describe', { cause }))).toBe(
    'the server does not permit it with these credentials (it says: Request unauthorized.)',
  );
});

test('anything else is said as it came, in one line', () => {
  expect(describeTemporalFailure(new Error('a\n  b', { cause: new Error('c') }))).toBe('a b: c');
});
