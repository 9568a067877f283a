import { oneLine } from '../providers/one-line.ts';

/** What a failed call to Temporal comes to. Both of the SDK's clients tell it in words only, each in its own. */
interface Meaning {
  readonly pattern: RegExp;
  /** What came back and what to do about it. */
  readonly sentence: string;
}

const MEANINGS: readonly Meaning[] = [
  {
    pattern: /certificate ?required|alert number 116|bad ?certificate|alert number 42|unknown ?ca\b|alert number 48/i,
    sentence:
      'the server asks for a client certificate and was shown none that it takes: set tls.client_cert_path and ' +
      'tls.client_key_path in the profile (TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH)',
  },
  {
    pattern: /certificate has expired|InvalidCertificate\(Expired|alert number 45|certificate is not yet valid/i,
    sentence: 'a certificate is out of its time: renew it, or set the clock of this computer right',
  },
  {
    pattern: /self[- ]signed certificate|unable to (get|verify)[^.]*certificate|UnknownIssuer/i,
    sentence:
      "the server's certificate is of an authority that is not known here: name its certificate with " +
      'tls.server_ca_cert_path in the profile (TEMPORAL_TLS_SERVER_CA_CERT_PATH)',
  },
  {
    pattern: /altnames|NotValidForName/i,
    sentence:
      "the server's certificate is for another host name: set tls.server_name in the profile (TEMPORAL_TLS_SERVER_NAME)",
  },
  {
    pattern: /wrong version number|InvalidContentType/i,
    sentence: 'the server speaks no TLS: leave tls and api_key out of the profile, or set TEMPORAL_TLS=false',
  },
  { pattern: /ECONNREFUSED|connection ?refused/i, sentence: 'connection refused: nothing listens there' },
  { pattern: /name resolution failed|dns error|ENOTFOUND/i, sentence: 'there is no host of this name' },
  {
    pattern: /UNAUTHENTICATED|valid authentication credentials/i,
    sentence: 'the server does not accept the credentials: check the API key (api_key, TEMPORAL_API_KEY)',
  },
  {
    pattern: /PERMISSION_DENIED|does not have permission|not have (the )?permission/i,
    sentence: 'the server does not permit it with these credentials',
  },
  { pattern: /DEADLINE_EXCEEDED|timeout expired|before the deadline/i, sentence: 'no answer in time' },
  {
    pattern: /Last error: Failed to connect|broken ?pipe|UnexpectedEof|ECONNRESET/i,
    sentence:
      'the server closed the connection at once: it may want TLS (tls in the profile, TEMPORAL_TLS=true), or another ' +
      'client certificate',
  },
];

/** Why a call to Temporal failed, in one line, and what to do where that is known. */
export function describeTemporalFailure(error: unknown): string {
  const text = textOf(error);
  const meaning = MEANINGS.find(({ pattern }) => pattern.test(text));
  if (meaning === undefined) return text;
  const told = detailsOf(error);
  return told === undefined ? meaning.sentence : `${meaning.sentence} (it says: ${told})`;
}

/** The error's words and those of what caused it, in one line. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = oneLine(error.message);
  return error.cause instanceof Error ? `${own}: ${textOf(error.cause)}` : own;
}

const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;

/** What the server itself said to a refusal. */
function detailsOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, details } = error as { code?: unknown; details?: unknown };
  const isRefusal = code === UNAUTHENTICATED || code === PERMISSION_DENIED;
  if (isRefusal && typeof details === 'string' && details !== '') return oneLine(details);
  return error.cause === undefined ? undefined : detailsOf(error.cause);
}
