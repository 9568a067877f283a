import { connect, createSecureServer, type Http2Session, type IncomingHttpHeaders } from 'node:http2';
import type { IssuedCertificate } from './certificates.ts';

/** A Temporal that asks who one is. */
export interface TemporalFront {
  /** `host:port` */
  readonly address: string;
  /** Requests that were passed on. */
  passed(): number;
  close(): Promise<void>;
}

export interface TemporalFrontOptions {
  /** `host:port` of the Temporal behind it, which lets everybody in. */
  readonly target: string;
  readonly identity: IssuedCertificate;
  /** PEM of the authority whose clients alone are let in. @default everybody is */
  readonly clientAuthority?: string;
  /** The API key that alone is let in. @default everybody is */
  readonly apiKey?: string;
}

const GRPC_UNAUTHENTICATED = '16';

/** Ends TLS, looks at who asks, and passes the request on: as the entrance of Temporal Cloud does. */
export function startTemporalFront(options: TemporalFrontOptions): Promise<TemporalFront> {
  const { target, identity, clientAuthority, apiKey } = options;
  const sessions = new Set<Http2Session>();
  let passed = 0;
  const server = createSecureServer({
    cert: identity.certificate,
    key: identity.key,
    ...(clientAuthority === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: clientAuthority }),
  });
  server.on('session', (session) => {
    const behind = connect(`http://${target}`);
    for (const one of [session, behind]) {
      sessions.add(one);
      one.on('error', () => one.destroy());
      one.once('close', () => sessions.delete(one));
    }
    session.once('close', () => behind.destroy());
    session.on('stream', (incoming, headers) => {
      incoming.on('error', () => incoming.destroy());
      if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) {
        incoming.respond(
          { 'content-type': 'application/grpc', 'grpc-status': GRPC_UNAUTHENTICATED, 'grpc-message': 'unknown key' },
          { endStream: true },
        );
        return;
      }
      passed += 1;
      const outgoing = behind.request({ ...headers, ':scheme': 'http' });
      let trailers: IncomingHttpHeaders = {};
      outgoing.on('error', () => incoming.destroy());
      outgoing.on('trailers', (received) => {
        trailers = received;
      });
      outgoing.on('response', (answered, flags) => {
        const endStream = (flags & END_STREAM) !== 0;
        if (incoming.destroyed) return;
        incoming.respond(answered, { endStream, waitForTrailers: !endStream });
        if (!endStream) outgoing.pipe(incoming);
      });
      incoming.on('wantTrailers', () => incoming.sendTrailers(trailers));
      incoming.once('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') return reject(new Error('the front has no port'));
      resolve({
        address: `127.0.0.1:${bound.port}`,
        passed: () => passed,
        close: () =>
          new Promise((closed) => {
            for (const session of sessions) session.destroy();
            server.close(() => closed());
          }),
      });
    });
  });
}

/** Flag of a HEADERS frame that nothing follows (RFC 9113, 6.2). */
const END_STREAM = 0x1;
