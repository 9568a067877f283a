import { NoAnswer } from '../../../devstack/doubles/cloud/cloud-error.ts';
import { answerCall } from '../../../devstack/doubles/cloud/json-front/api.ts';
import { SimulatedCloud } from '../../../devstack/doubles/cloud/json-front/simulated-cloud.ts';
import type { Clock } from '../../../providers/clock.ts';
import type { Provider } from '../../../providers/provider.ts';
import { createSimulatedProvider } from '../../../providers/simulated/simulated-provider.ts';
import type { WireRequest, WireAnswer } from '../../../providers/simulated/wire.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Random } from '../time/random.ts';

/** The simulated cloud in this process. */
export class CloudInMemory {
  readonly cloud: SimulatedCloud;
  /** After each call that reached the cloud; the instance that it was about, where its path names one. */
  onCall: (action: string, id: string | undefined) => void = () => {};
  /** A process sends a call to launch for the Machine with this uid. */
  onLaunchSent: (machineUid: string) => void = () => {};
  readonly #tokens: boolean;

  readonly #viewLagMs: number;

  /**
   * @param tokens whether it honours client tokens, and is sent them
   * @param viewLagMs how late it shows an instance at most
   */
  constructor(clock: Clock, tokens: boolean, viewLagMs: number) {
    this.#tokens = tokens;
    this.#viewLagMs = viewLagMs;
    this.cloud = new SimulatedCloud({ clock, tokens });
  }

  /** How it takes its time, and how far behind its views are: within what is assumed of it. */
  behave(strength: number, random: Random): void {
    this.cloud.engine.setBehaviour('*', {
      launchLatencyMs: Math.round(random.around(300)),
      pendingMs: Math.round(random.around(2000)),
      terminateMs: Math.round(random.around(2000)),
      visibleAfterMs: strength > 0 && random.chance(0.5) ? Math.round(random.next() * this.#viewLagMs) : 0,
      ...(strength > 0 && random.chance(0.3) ? { capacity: random.below(6) } : {}),
    });
  }

  /** Somebody else's instance, named as if it were a Machine's. */
  launchForeign(): Promise<{ readonly id: string }> {
    const tags = { cluster: 'another', namespace: 'default', name: 'single-1' };
    return this.cloud.launch({ zone: 'zone-a', instanceType: 'sim.small', image: 'image-default', tags });
  }

  /** From now on it has room for all. */
  calmDown(): void {
    const { set } = this.cloud.engine.behaviour('*');
    this.cloud.engine.setBehaviour('*', { ...set, capacity: null });
  }

  /** The product's provider, as a process has it: its calls go over that process's network. */
  providerOf(process: SimulatedProcess): Provider {
    const send = (request: WireRequest): Promise<WireAnswer> => {
      const { signal } = request;
      const what = `cloud ${actionOf(request)}`;
      if (process.isAlive && actionOf(request) === 'launch') this.onLaunchSent(machineUidIn(request));
      const answer = process.call(what, () => this.#carryOut(request));
      answer.catch(() => {});
      return Promise.race([answer, aborted(signal)]);
    };
    return createSimulatedProvider({
      clock: process.clock,
      endpoint: { send, close: async () => {} },
      idempotency: this.#tokens ? 'token' : 'lookup',
    });
  }

  async #carryOut(request: WireRequest): Promise<WireAnswer> {
    const { method, path, headers, body = '' } = request;
    try {
      const {
        status,
        retryAfter,
        body: text,
      } = await answerCall(this.cloud, {
        method,
        path,
        authorization: headers['authorization'],
        readBody: async () => body,
      });
      return { status, retryAfter: retryAfter?.toString(), text };
    } catch (error) {
      if (error instanceof NoAnswer && error.how === 'hang') return new Promise(() => {});
      throw error;
    } finally {
      const [, id = ''] = path.slice(1).split('/');
      this.onCall(actionOf(request), id.startsWith('i-') ? id : undefined);
    }
  }
}

function machineUidIn({ body = '{}' }: WireRequest): string {
  const { tags } = JSON.parse(body) as { readonly tags?: { readonly machineUid?: string } };
  return tags?.machineUid ?? '';
}

function actionOf({ path }: WireRequest): string {
  const [collection, name = '', operation] = path.slice(1).split('/');
  if (collection === 'catalog') return 'catalog';
  return operation ?? (name === 'describe' ? 'describe' : 'launch');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(new Error('given up'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
