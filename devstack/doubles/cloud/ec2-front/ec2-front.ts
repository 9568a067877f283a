/**
 * EC2 and its load balancers as they behave in earnest, with moto behind: client tokens, states that take time, instances
 * that are not seen at once, and failures to order. Knows no HTTP; {@link ./server.ts} puts it on the wire.
 */

import { EC2_LIMITS } from '../../../../providers/aws/documented-limits.ts';
import type { Clock } from '../../../../providers/clock.ts';
import { limitOf } from '../../../../providers/rate-limits.ts';
import { EVERY_TYPE } from '../behaviours.ts';
import type { HandOperation } from '../by-hand.ts';
import type { DescribedInstance } from '../cloud-instance.ts';
import { CloudEngine } from '../engine.ts';
import { wordOf } from './actions.ts';
import type { WireAnswer } from './aws-errors.ts';
import { EC2_DEFAULTS } from './behaviour.ts';
import { factsOf } from './call-facts.ts';
import { serveCall } from './calls.ts';
import { Disturbances } from './disturbances.ts';
import { dryRun, isDryRun } from './dry-run.ts';
import { fillIn } from './echo.ts';
import { instanceIdsIn } from './instance-ids.ts';
import type { Ec2Ledger } from './ledger.ts';
import { limitedCall } from './limited-call.ts';
import { ownerOf } from './machine-tags.ts';
import type { Moto } from './moto-client.ts';
import { MotoLaunches } from './moto-launches.ts';
import { QueryRequest } from './query-request.ts';

export interface Ec2FrontOptions {
  readonly moto: Moto;
  /** Has the limits of calls that EC2 documents. @default false */
  readonly limits?: boolean;
  /** @default the host's */
  readonly clock?: Clock;
}

/** Operations of which moto has to know: its load balancers look at states. */
const MOTOS_ACTION: Readonly<Partial<Record<HandOperation, string>>> = {
  terminate: 'TerminateInstances',
  reboot: 'RebootInstances',
  stop: 'StopInstances',
  start: 'StartInstances',
};

export class Ec2Front {
  /** Forgets all with the process, as moto does. */
  readonly engine: CloudEngine;
  readonly disturbances: Disturbances;
  readonly #moto: Moto;
  readonly #launches: MotoLaunches;
  readonly #counts = new Map<string, number>();

  constructor({ moto, limits = false, clock }: Ec2FrontOptions) {
    this.engine = new CloudEngine({
      clock,
      limitOf: limits ? (action) => limitOf(EC2_LIMITS, action) : undefined,
      defaults: EC2_DEFAULTS,
      scheme: 'aws',
      ownerOf,
    });
    this.disturbances = new Disturbances(this.engine.clock);
    this.#moto = moto;
    this.#launches = new MotoLaunches(this.#moto, this.engine);
  }

  close(): Promise<void> {
    return this.#moto.close();
  }

  /** Serves a call of EC2 or of the load balancers. Rejects with CloudError and NoAnswer. */
  serve(request: QueryRequest): Promise<WireAnswer> {
    const action = isDryRun(request) ? 'dryRun' : wordOf(request.action);
    return this.disturbances.disturb(action, () => this.#serveOnce(action, request));
  }

  /** @param machine `namespace/name` or uid: only what concerns this Machine. @default everything */
  ledger(machine?: string): Ec2Ledger {
    return { ...this.engine.ledger(machine), counts: Object.fromEntries(this.#counts) };
  }

  async byHand(operation: HandOperation, id: string): Promise<DescribedInstance> {
    const instance = this.engine.byHand(operation, id);
    const action = MOTOS_ACTION[operation];
    if (action !== undefined) {
      const body = new URLSearchParams({ Action: action, Version: '2016-11-15', 'InstanceId.1': id });
      const signedFor = `Credential=front/20000101/${instance.region}/ec2/aws4_request`;
      await this.#moto.call(new QueryRequest(body.toString(), signedFor));
    }
    return this.engine.describe(instance);
  }

  async #serveOnce(action: string, request: QueryRequest): Promise<WireAnswer> {
    this.#counts.set(request.action, (this.#counts.get(request.action) ?? 0) + 1);
    const facts = factsOf(request, this.engine.instances);
    try {
      return await this.engine.door.serve(
        {
          action,
          instanceType: this.#instanceTypeOf(request),
          // The door knows bearers; who signed is as much of a bearer here, since nobody checks signatures.
          authorization: request.accessKeyId === undefined ? undefined : `Bearer ${request.accessKeyId}`,
          facts,
          limited: limitedCall(request),
        },
        async (failBefore) => {
          if (isDryRun(request)) {
            failBefore();
            return dryRun(request, this.#moto);
          }
          if (request.action === 'RunInstances') return this.#launches.launch(request, facts, failBefore);
          failBefore();
          return serveCall(request, this.#moto, this.engine.instances);
        },
      );
    } catch (error) {
      throw fillIn(error, request);
    }
  }

  #instanceTypeOf(request: QueryRequest): string {
    if (request.action === 'RunInstances') return request.get('InstanceType');
    if (!['TerminateInstances', 'RebootInstances'].includes(request.action)) return EVERY_TYPE;
    return this.engine.instances.get(instanceIdsIn(request)[0] ?? '')?.instanceType ?? EVERY_TYPE;
  }
}
