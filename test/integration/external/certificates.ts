import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate and its key, PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Issues certificates for tests: one for a server on loopback, one for its client. Valid for a day. */
export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  issue(name: string, purpose: 'server' | 'client'): IssuedCertificate;
}

/** Node makes keys and reads certificates, but makes none; this writes the little of X.509 (RFC 5280) that TLS asks for. */
export function createCertificateAuthority(name: string): CertificateAuthority {
  const own = newKeyPair();
  return {
    certificate: issue({ subject: name, issuer: name, publicKey: own.publicKey, signer: own.privateKey, isCa: true }),
    issue(subject, purpose) {
      const { publicKey, privateKey } = newKeyPair();
      return {
        certificate: issue({ subject, issuer: name, publicKey, signer: own.privateKey, purpose }),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

interface Issuance {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly isCa?: boolean;
  readonly purpose?: 'server' | 'client';
}

function newKeyPair(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

const HOUR_MS = 3_600_000;
const OIDS = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  subjectAltName: '551d11',
  extendedKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
  clientAuth: '2b06010505070302',
} as const;

function issue({ subject, issuer, publicKey, signer, isCa = false, purpose }: Issuance): string {
  const algorithm = sequence(oid('ecdsaWithSha256'));
  const now = Date.now();
  const serial = randomBytes(12);
  serial.writeUInt8(1, 0); // Above 0, and with no leading zero.
  const usage = purpose === undefined ? [] : [extension('extendedKeyUsage', sequence(oid(`${purpose}Auth`)))];
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // v3
    integer(serial),
    algorithm,
    commonName(issuer),
    sequence(time(now - HOUR_MS), time(now + 24 * HOUR_MS)),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        extension('basicConstraints', isCa ? sequence(tagged(0x01, Buffer.from([0xff]))) : sequence()),
        extension(
          'subjectAltName',
          sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1]))),
        ),
        ...usage,
      ),
    ),
  );
  const signature = sign('sha256', content, signer);
  const der = sequence(content, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').replace(/(.{64})/g, '$1\n');
  return `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`;
}

/** DER: tag, length, content. */
function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...items: readonly Buffer[]): Buffer {
  return tagged(0x30, ...items);
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function oid(name: keyof typeof OIDS): Buffer {
  return tagged(0x06, Buffer.from(OIDS[name], 'hex'));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(digits));
}

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid('commonName'), tagged(0x0c, Buffer.from(name)))));
}

function extension(name: keyof typeof OIDS, value: Buffer): Buffer {
  return sequence(oid(name), tagged(0x04, value));
}
