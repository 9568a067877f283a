import type { Clock } from './clock.ts';
import { ProviderError, type ProviderErrorCode } from './provider-error.ts';
import type { InstanceOwner, LoadBalancing, Provider } from './provider.ts';
import { given } from './given.ts';
import { givenShape } from './given-shape.ts';

/** A call of a provider's method, once it is over. */
export interface MeasuredCall {
  /** Name of the provider. */
  readonly provider: string;
  readonly operation: ProviderOperation;
  readonly seconds: number;
  /** Absent: it succeeded. */
  readonly errorCode?: ProviderErrorCode;
  /** The limits that this process keeps to had no room for it: the cloud saw nothing of it. */
  readonly isNotSent?: boolean;
  /** The Machine it was for, where the call says so. */
  readonly owner?: InstanceOwner;
}

/** The methods that ask something of the cloud. `resolve` does so only where what it reads is not cached. */
export type ProviderOperation =
  | 'resolve'
  | 'launch'
  | 'dryRun'
  | 'describe'
  | 'findByMachine'
  | 'findByMachines'
  | 'claim'
  | 'terminate'
  | 'reboot'
  | 'list'
  | 'register'
  | 'deregister';

/** The same provider, each of whose calls is told to `observe` when it is over. */
export function measureProvider(
  provider: Provider,
  clock: Pick<Clock, 'now'>,
  observe: (call: MeasuredCall) => void,
): Provider {
  async function measured<T>(operation: ProviderOperation, call: () => Promise<T>, owner?: InstanceOwner): Promise<T> {
    const startedAt = clock.now();
    const tell = (errorCode?: ProviderErrorCode, isNotSent = false): void =>
      observe({
        provider: provider.name,
        operation,
        seconds: (clock.now() - startedAt) / 1000,
        ...given({ errorCode, isNotSent: isNotSent || undefined, owner }),
      });
    try {
      const answer = await call();
      tell();
      return answer;
    } catch (error) {
      if (error instanceof ProviderError) tell(error.code, error.details.notSent);
      else tell('Unknown');
      throw error;
    }
  }

  function measureLoadBalancing(loadBalancing: LoadBalancing): LoadBalancing {
    return {
      loadBalancersOf: (request) => loadBalancing.loadBalancersOf(request),
      register: (...args) => measured('register', () => loadBalancing.register(...args)),
      deregister: (...args) => measured('deregister', () => loadBalancing.deregister(...args)),
    };
  }

  // What a provider lacks, this one lacks: each member stands here, so a new one of the interface wants a line.
  const { loadBalancing } = provider;
  return {
    name: provider.name,
    providerSpecKinds: provider.providerSpecKinds,
    ...given({
      providerSpecApiVersion: provider.providerSpecApiVersion,
      withDefaults: provider.withDefaults && ((spec, defaults) => provider.withDefaults?.(spec, defaults) ?? spec),
    }),
    describeBatchSize: provider.describeBatchSize,
    idempotency: provider.idempotency,
    ...given({ launchTurns: provider.launchTurns }),
    isInstanceId: (id) => provider.isInstanceId(id),
    ...given({ accountOf: provider.accountOf && (async (...args) => provider.accountOf?.(...args)) }),
    credentialsOf: (request) => provider.credentialsOf(request),
    resolve: (request) => measured('resolve', () => provider.resolve(request), request.owner),
    ...givenShape(provider, (request, ask) => measured('resolve', ask, request.owner)),
    launch: (request, signal) => measured('launch', () => provider.launch(request, signal), request.owner),
    ...given({
      dryRun:
        provider.dryRun &&
        ((request, signal) => measured('dryRun', async () => provider.dryRun?.(request, signal), request.owner)),
    }),
    describe: (...args) => measured('describe', () => provider.describe(...args)),
    findByMachines: (...args) => measured('findByMachines', () => provider.findByMachines(...args)),
    findByMachine: (...args) => measured('findByMachine', () => provider.findByMachine(...args), args[1]),
    claim: (...args) => measured('claim', () => provider.claim(...args), args[2]),
    terminate: (...args) => measured('terminate', () => provider.terminate(...args)),
    ...given({
      reboot: provider.reboot && ((...args) => measured('reboot', async () => provider.reboot?.(...args))),
    }),
    list: (...args) => measured('list', () => provider.list(...args)),
    ...given({ loadBalancing: loadBalancing && measureLoadBalancing(loadBalancing) }),
  };
}
