import { givenShape } from './given-shape.ts';
import { BoundedMap } from './bounded-map.ts';
import { admit, afterAnswer, afterSilence, CLOSED, withTry, type Breaker, type BreakerOptions } from './breaker.ts';
import { CallSlots } from './call-slots.ts';
import type { Clock } from './clock.ts';
import type { ProviderOperation } from './measured-provider.ts';
import { CLOUD_NOT_ANSWERING, ProviderError } from './provider-error.ts';
import { credentialsKey, type Credentials, type Provider, type ResolveRequest } from './provider.ts';
import { given } from './given.ts';

/**
 * What hangs together: a cloud whose launches hang may still answer looks. `specs` are reads that are mostly answered from
 * what the provider remembers, so they tell nothing of the others.
 */
export type CallGroup = 'specs' | 'looks' | 'launches' | 'dry runs' | 'terminations' | 'reboots' | 'load balancers';

const GROUPS: Readonly<Record<ProviderOperation, CallGroup>> = {
  resolve: 'specs',
  describe: 'looks',
  findByMachine: 'looks',
  findByMachines: 'looks',
  // Part of the look that adopts.
  claim: 'looks',
  list: 'looks',
  launch: 'launches',
  // Nobody waits for it in earnest: it is not to stop launches, nor to be stopped for them.
  dryRun: 'dry runs',
  terminate: 'terminations',
  reboot: 'reboots',
  register: 'load balancers',
  deregister: 'load balancers',
};

/** Calls that each machine makes for itself: these could take all places of a worker. */
const ONE_BY_ONE: ReadonlySet<ProviderOperation> = new Set([
  'findByMachine',
  'claim',
  'launch',
  'terminate',
  'reboot',
  'register',
  'deregister',
]);

/** Calls to one cloud, with one credential, of one group. */
export interface GuardedCalls {
  readonly provider: string;
  readonly credentials: Credentials;
  readonly group: CallGroup;
}

export interface GuardOptions extends BreakerOptions {
  /** Calls of one group that each machine makes for itself, under way at once with the same credentials. @default 32 */
  readonly mostCalls?: number;
  /** A call that takes longer keeps nobody waiting for its place, in milliseconds. @default 2000 */
  readonly slowMs?: number;
  /** A call that fails without an answer after less than this was refused, not left hanging, in milliseconds. @default 2000 */
  readonly silentMs?: number;
  /** Told when calls are not sent any more, and when they are again. */
  readonly onBreaker?: (calls: GuardedCalls, isOpen: boolean) => void;
  /** Told of each call that was not sent. */
  readonly onNotSent?: (provider: string, operation: ProviderOperation) => void;
}

/** Longest wait for a place, in milliseconds: what was checked before the call has to hold when it is sent. */
const MOST_WAIT_MS = 1000;
/** Credentials and groups that are remembered. */
const MOST_GUARDS = 1000;
/**
 * The next try after a call that found no place, or while another one tries, in milliseconds: hundreds of machines come back
 * after this time, and nobody slows them down any more.
 */
const SOON_MS = 10_000;

interface Guard {
  breaker: Breaker;
  readonly slots: CallSlots;
}

/**
 * The same provider, which does not go on asking a cloud that hangs: after some calls in a row without an answer nothing is
 * sent for a while, and however many machines want to call, only so many calls are under way at once. A call that is not sent
 * fails at once with Unavailable, {@link CLOUD_NOT_ANSWERING} and the time of the next try.
 */
export function guardProvider(provider: Provider, clock: Clock, options: GuardOptions = {}): Provider {
  const { mostCalls = 32, slowMs = 2000, silentMs = 2000 } = options;
  const guards = new BoundedMap<string, Guard>(MOST_GUARDS);

  async function guarded<T>(
    operation: ProviderOperation,
    credentials: Credentials,
    call: () => Promise<T>,
  ): Promise<T> {
    const group = GROUPS[operation];
    const guard = guardOf(credentials, group);
    const refuse = (message: string, inMs: number): ProviderError => {
      options.onNotSent?.(provider.name, operation);
      const retryAfterMs = Math.round(inMs * (1 + clock.random() / 2));
      return new ProviderError('Unavailable', message, {
        cloudCode: CLOUD_NOT_ANSWERING,
        retryAfterMs,
        // A machine that is not launched yet has nothing to lose: hundreds of them back off ever more.
        ...given({ notSent: operation !== 'resolve' || undefined }),
      });
    };
    const set = (breaker: Breaker): void => {
      const wasOpen = guard.breaker.state === 'open';
      guard.breaker = breaker;
      const isOpen = breaker.state === 'open';
      if (isOpen !== wasOpen) options.onBreaker?.({ provider: provider.name, credentials, group }, isOpen);
    };

    const early = admit(guard.breaker, clock.now());
    if (!early.admitted) throw refuse(silenceOf(group), waitMs(early.until));
    const done = ONE_BY_ONE.has(operation) ? await guard.slots.take() : () => {};
    if (done === undefined) {
      throw refuse(
        `${mostCalls} calls with these credentials wait for the cloud's answer, and it takes its time`,
        SOON_MS,
      );
    }
    try {
      // It may have opened while the call waited.
      const admission = admit(guard.breaker, clock.now());
      if (!admission.admitted) throw refuse(silenceOf(group), waitMs(admission.until));
      if (admission.isTry) set(withTry(guard.breaker, true));
      const startedAt = clock.now();
      try {
        const answer = await call();
        set(afterAnswer());
        return answer;
      } catch (error) {
        const outcome = outcomeOf(error, clock.now() - startedAt, silentMs);
        if (outcome === 'answered') set(afterAnswer());
        else if (outcome === 'silent') set(afterSilence(guard.breaker, admission.isTry, clock.now(), options));
        else if (admission.isTry) set(withTry(guard.breaker, false));
        throw error;
      }
    } finally {
      done();
    }
  }

  function guardOf(credentials: Credentials, group: CallGroup): Guard {
    const key = `${group} ${credentialsKey(credentials)}`;
    const known = guards.get(key);
    if (known !== undefined) return known;
    const slots = new CallSlots({ most: mostCalls, slowMs, mostWaitMs: MOST_WAIT_MS, clock });
    const guard = { breaker: CLOSED, slots };
    guards.set(key, guard);
    return guard;
  }

  function waitMs(until: number | undefined): number {
    return until === undefined ? SOON_MS : Math.max(1, until - clock.now());
  }

  const { loadBalancing } = provider;
  return {
    ...provider,
    resolve: async (request) => {
      const credentials = credentialsIn(provider, request);
      // What is wrong with the spec is for the provider to say: it asks the cloud nothing for it.
      if (credentials === undefined) return provider.resolve(request);
      return guarded('resolve', credentials, () => provider.resolve(request));
    },
    ...givenShape(provider, async (request, ask) => {
      const credentials = credentialsIn(provider, request);
      return credentials === undefined ? ask() : guarded('resolve', credentials, ask);
    }),
    launch: (request, signal) =>
      guarded('launch', request.parameters.credentials, () => provider.launch(request, signal)),
    ...given({
      dryRun:
        provider.dryRun &&
        ((request, signal) =>
          guarded('dryRun', request.parameters.credentials, async () => provider.dryRun?.(request, signal))),
    }),
    describe: (...args) => guarded('describe', args[0], () => provider.describe(...args)),
    findByMachine: (...args) => guarded('findByMachine', args[0], () => provider.findByMachine(...args)),
    findByMachines: (...args) => guarded('findByMachines', args[0], () => provider.findByMachines(...args)),
    claim: (...args) => guarded('claim', args[0], () => provider.claim(...args)),
    terminate: (...args) => guarded('terminate', args[0], () => provider.terminate(...args)),
    ...given({
      reboot:
        provider.reboot &&
        ((request, signal) => guarded('reboot', request.credentials, async () => provider.reboot?.(request, signal))),
    }),
    list: (...args) => guarded('list', args[0], () => provider.list(...args)),
    ...given({
      loadBalancing: loadBalancing && {
        ...loadBalancing,
        register: (...args) => guarded('register', args[0], () => loadBalancing.register(...args)),
        deregister: (...args) => guarded('deregister', args[0], () => loadBalancing.deregister(...args)),
      },
    }),
  };
}

/** Undefined: the spec does not tell, as one that is malformed. */
function credentialsIn(provider: Provider, request: ResolveRequest): Credentials | undefined {
  try {
    return provider.credentialsOf(request);
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

/** What a failed call tells of the cloud: nothing where it was given up, never sent, or refused by the network at once. */
function outcomeOf(error: unknown, tookMs: number, silentMs: number): 'answered' | 'silent' | 'nothing' {
  if (!(error instanceof ProviderError)) return 'nothing';
  const { code, details } = error;
  if (details.notSent === true || code === 'Canceled') return 'nothing';
  const isUnanswered = (code === 'DeadlineExceeded' || code === 'Unavailable') && details.cloudCode === undefined;
  if (!isUnanswered) return 'answered';
  return tookMs >= silentMs ? 'silent' : 'nothing';
}

function silenceOf(group: CallGroup): string {
  return `the cloud did not answer the last calls with these credentials (${group}): it is not asked for a while`;
}
