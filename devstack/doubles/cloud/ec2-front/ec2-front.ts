/**
 * EC2 and its load balancers as they behave in earnest, with moto behind: client tokens, states that take time, instances
 * that are not seen at once, and failures to order. Knows no HTTP; {@link ./server.ts} puts it on the wire.
 */

import { EC2_LIMITS } from '../../../../providers/aws/documented-limits.ts';
import { systemClock } from '../../../../providers/clock.ts';
import { limitOf } from '../../../../providers/rate-limits.ts';
import type { AcceptedCredentials, Access, Outage } from '../access.ts';
import { Behaviours, EVERY_TYPE } from '../behaviours.ts';
import { ClientTokens } from '../client-tokens.ts';
import { FrontDoor, type CallFacts } from '../front-door.ts';
import { Instances } from '../instances.ts';
import { Launches } from '../launches.ts';
import type { LedgerCall } from '../ledger.ts';
import { RequestLimits } from '../request-limits.ts';
import { wordOf } from './actions.ts';
import type { WireAnswer } from './aws-errors.ts';
import { EC2_DEFAULTS, parseEc2Behaviour, type Ec2Behaviour } from './behaviour.ts';
import { serveCall } from './calls.ts';
import { Disturbances, type Disturbance } from './disturbances.ts';
import { fillIn } from './echo.ts';
import { factsOf } from './call-facts.ts';
import { instanceIdsIn } from './instance-ids.ts';
import { InstancesByHand } from './instances-by-hand.ts';
import { MotoLaunches } from './moto-launches.ts';
import { readLedger, type Ec2Ledger } from './ledger.ts';
import { limitedCall } from './limited-call.ts';
import { MotoClient } from './moto-client.ts';
import type { QueryRequest } from './query-request.ts';

export interface Ec2FrontOptions {
  /** `http://127.0.0.1:<port>` */
  readonly motoUrl: string;
  /** Has the limits of calls that EC2 documents. @default false */
  readonly limits?: boolean;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

export class Ec2Front {
  /** What happens without a call. */
  readonly byHand: InstancesByHand;
  readonly #now: () => number;
  readonly #moto: MotoClient;
  readonly #behaviours = new Behaviours(() => {}, EC2_DEFAULTS);
  readonly #disturbances = new Disturbances();
  readonly #instances: Instances;
  readonly #launches: MotoLaunches;
  readonly #calls: LedgerCall[] = [];
  readonly #counts = new Map<string, number>();
  readonly #door: FrontDoor;

  constructor({ motoUrl, limits = false, now = Date.now }: Ec2FrontOptions) {
    this.#now = now;
    this.#moto = new MotoClient(motoUrl);
    this.#instances = new Instances(this.#behaviours, now, () => {});
    const launches = new Launches({
      clock: systemClock,
      behaviours: this.#behaviours,
      instances: this.#instances,
      tokens: new ClientTokens(() => {}),
    });
    this.#launches = new MotoLaunches(this.#moto, this.#instances, launches);
    this.#door = new FrontDoor({
      behaviours: this.#behaviours,
      now,
      limits: limits ? new RequestLimits((action) => limitOf(EC2_LIMITS, action), now) : undefined,
      onCall: (call) => this.#calls.push(call),
      onAccess: () => {},
    });
    this.byHand = new InstancesByHand(this.#moto, this.#instances, (operation, facts) =>
      this.#door.record(operation, facts),
    );
  }

  close(): Promise<void> {
    return this.#moto.close();
  }

  /** Serves a call of EC2 or of the load balancers. Rejects with CloudError and NoAnswer. */
  serve(request: QueryRequest): Promise<WireAnswer> {
    const action = wordOf(request.action);
    return this.#disturbances.disturb(action, () => this.#serveOnce(action, request));
  }

  /** @param machine `namespace/name` or uid: only what concerns this Machine. @default everything */
  ledger(machine?: string): Ec2Ledger {
    return readLedger(this.#instances.all(), this.#calls, this.#counts, this.#now(), machine);
  }

  /** Replaces the behaviour of a type; `{}` returns it to what `*` says. */
  setBehaviour(instanceType: string, body: unknown): void {
    this.#behaviours.replace(instanceType, parseEc2Behaviour(body));
  }

  behaviour(instanceType: string): { readonly set: Ec2Behaviour; readonly effective: Required<Ec2Behaviour> } {
    return { set: this.#behaviours.get(instanceType), effective: this.#behaviours.effective(instanceType) };
  }

  setDisturbances(body: unknown): readonly Disturbance[] {
    return this.#disturbances.replace(body);
  }

  setOutage(outage: Outage): Access {
    return this.#door.setOutage(outage);
  }

  /** The tokens are access key ids here. */
  setCredentials(credentials: AcceptedCredentials): Access {
    return this.#door.setCredentials(credentials);
  }

  async #serveOnce(action: string, request: QueryRequest): Promise<WireAnswer> {
    this.#counts.set(request.action, (this.#counts.get(request.action) ?? 0) + 1);
    const facts: CallFacts = factsOf(request, this.#instances);
    try {
      return await this.#door.serve(
        {
          action,
          instanceType: this.#instanceTypeOf(request),
          // The door knows bearers; who signed is as much of a bearer here, since nobody checks signatures.
          authorization: request.accessKeyId === undefined ? undefined : `Bearer ${request.accessKeyId}`,
          facts,
          limited: limitedCall(request),
        },
        async (failBefore) => {
          if (request.action === 'RunInstances') return this.#launches.launch(request, facts, failBefore);
          failBefore();
          return serveCall(request, this.#moto, this.#instances);
        },
      );
    } catch (error) {
      throw fillIn(error, request);
    }
  }

  #instanceTypeOf(request: QueryRequest): string {
    if (request.action === 'RunInstances') return request.get('InstanceType');
    if (request.action !== 'TerminateInstances') return EVERY_TYPE;
    return this.#instances.get(instanceIdsIn(request)[0] ?? '')?.instanceType ?? EVERY_TYPE;
  }
}
