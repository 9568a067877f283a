/**
 * An HTTP proxy that numbers every request that goes through it, tells a test of each of its phases, and makes faults:
 * lost, repeated and late requests and answers. Runs inside the test's process, before the Kubernetes API server or the
 * simulated cloud; clients speak plain HTTP to it and their Authorization header passes through.
 */

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FaultRules } from './fault-rule.ts';
import type { AddedRule, FaultRule } from './fault-rule.ts';
import { ProxiedExchange } from './proxied-exchange.ts';
import type { Classifier, ProxiedRequest } from './proxied-request.ts';
import { PointCounter } from './request-point.ts';
import type { RecordedRequest, RequestPhase } from './recorded-request.ts';
import type { RequestPoint } from './request-point.ts';
import { readAll, Upstream } from './upstream.ts';
import type { UpstreamTls } from './upstream.ts';

/** The request waits for it. `drop`: the client's connection is cut, and what has not happened yet does not happen. */
export type PointHook = (
  point: RequestPoint,
  phase: RequestPhase,
) => Promise<{ readonly drop?: boolean } | void> | { readonly drop?: boolean } | void;

export interface FaultProxyOptions extends Classifier {
  /** Where requests go, e.g. `https://127.0.0.1:6443`. */
  readonly target: string;
  readonly tls?: UpstreamTls;
  /** A first hook; more by {@link FaultProxy.onPoint}. */
  readonly onPoint?: PointHook;
  readonly rules?: readonly FaultRule[];
  /** Told of defects: a hook or classifier that threw. The request's connection is cut. @default console.error */
  readonly onError?: (error: unknown) => void;
}

export interface FaultProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Every numbered request, in the order they came. */
  readonly recorded: readonly RecordedRequest[];
  /** Adds a hook; all are called, in this order. @returns takes it back */
  onPoint(hook: PointHook): () => void;
  addRule(rule: FaultRule): AddedRule;
  /** Cuts all connections, as if the server behind had gone; new ones are taken. */
  cutConnections(): void;
  close(): Promise<void>;
}

export async function createFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const upstream = new Upstream(options.target, options.tls);
  const counter = new PointCounter();
  const rules = new FaultRules();
  for (const rule of options.rules ?? []) rules.add(rule);
  const hooks = new Set<PointHook>(options.onPoint === undefined ? [] : [options.onPoint]);
  const recorded: RecordedRequest[] = [];
  const onError = options.onError ?? console.error;

  const runHooks = async (point: RequestPoint, phase: RequestPhase): Promise<boolean> => {
    let drop = false;
    for (const hook of hooks) drop = ((await hook(point, phase))?.drop ?? false) || drop;
    return drop;
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request: ProxiedRequest = {
      method: incoming.method ?? 'GET',
      url: incoming.url ?? '/',
      headers: incoming.headers,
      body: await readAll(incoming),
    };
    const exchange = new ProxiedExchange(upstream, request, outgoing, options.learn);
    const classified = options.classify(request);
    if (classified === undefined) return exchange.stream();
    const record: RecordedRequest = { point: counter.next(classified), at: Date.now(), outcome: 'open' };
    recorded.push(record);
    const faults = rules.take(record.point);
    await exchange.run(record, classified.streams ?? false, faults, (phase) => runHooks(record.point, phase));
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      outgoing.destroy();
      if (!incoming.errored) onError(error);
    });
  });
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const cutConnections = (): void => {
    for (const socket of connections) socket.resetAndDestroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the fault proxy has no TCP address');

  return {
    url: `http://127.0.0.1:${address.port}`,
    recorded,
    onPoint: (hook) => {
      hooks.add(hook);
      return () => hooks.delete(hook);
    },
    addRule: (rule) => rules.add(rule),
    cutConnections,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cutConnections();
      await closed;
      upstream.close();
    },
  };
}
