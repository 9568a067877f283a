/** What the simulated cloud's API does: launches, describes, terminates. Knows no HTTP; {@link ./server.ts} puts it on the wire. */

import type { Clock } from '../../../../providers/clock.ts';
import type { Catalog } from '../../../../providers/simulated/catalog.ts';
import { EVERY_TYPE } from '../behaviours.ts';
import { addressesOf, type CloudInstance, type DescribedInstance } from '../cloud-instance.ts';
import { CloudEngine } from '../engine.ts';
import type { DescribeCall } from '../fleet.ts';
import type { CallAtDoor, CallFacts } from '../front-door.ts';
import { unknownInstances } from '../view.ts';
import type { Action } from './behaviour.ts';
import { checkOffered, createCatalog } from './catalog.ts';
import type { LaunchCall, TagCall } from './requests.ts';
import { SIMULATED_LIMITS } from './simulated-limits.ts';
import { given } from '../../../../providers/given.ts';

export interface SimulatedCloudOptions {
  /** Folder of the journal; made where it is missing. One process at a time. @default nothing outlives this object */
  readonly stateDir?: string;
  /** The one region. @default 'sim-1' */
  readonly region?: string;
  /** Has the limits of calls that EC2 documents; whoever shows another bearer token is another account. @default false */
  readonly limits?: boolean;
  /** False: it ignores client tokens, and every launch makes an instance. @default true */
  readonly tokens?: boolean;
  /** @default the host's */
  readonly clock?: Clock;
}

export class SimulatedCloud {
  readonly engine: CloudEngine;
  readonly #catalog: Catalog;
  readonly #honoursTokens: boolean;

  constructor({ stateDir, region = 'sim-1', limits = false, tokens = true, clock }: SimulatedCloudOptions) {
    this.engine = new CloudEngine({
      stateDir,
      clock,
      limitOf: limits ? (action) => SIMULATED_LIMITS[action] : undefined,
      scheme: 'simulated',
      ownerOf: ({ machineUid = null }) => ({ machine: machineUid }),
    });
    this.#catalog = createCatalog(region);
    this.#honoursTokens = tokens;
  }

  /** Makes an instance, or finds the one that this token has made. */
  launch(call: LaunchCall, authorization?: string): Promise<DescribedInstance> {
    const { clientToken, ...parameters } = call;
    const { instanceType, zone } = call;
    const token = this.#honoursTokens ? clientToken : undefined;
    const facts: CallFacts = { machine: call.tags?.['machineUid'] ?? null, token: token ?? null };
    return this.engine.door.serve(this.#atDoor('launch', authorization, facts, instanceType), async (failBefore) => {
      const check = (): void => {
        failBefore();
        checkOffered(this.#catalog, call);
      };
      const make = async () => this.#make(parameters, token);
      const instance = await this.engine.launches.launch({ instanceType, token, zone, parameters }, facts, check, make);
      return this.engine.describe(instance);
    });
  }

  /** Refuses what a launch would be refused for, but for a lack of room, and makes nothing. */
  dryRun(call: LaunchCall, authorization?: string): Promise<void> {
    const facts: CallFacts = { machine: call.tags?.['machineUid'] ?? null };
    return this.engine.door.serve(
      this.#atDoor('dryRun', authorization, facts, call.instanceType),
      async (failBefore) => {
        failBefore();
        checkOffered(this.#catalog, call);
      },
    );
  }

  describe(call: DescribeCall, authorization?: string): Promise<readonly DescribedInstance[]> {
    const { ids, filters } = call;
    const asked = ids ?? filters?.instanceIds ?? [];
    const facts: CallFacts = {
      machine: filters?.machineUid ?? null,
      token: filters?.clientToken ?? null,
      instance: asked.length === 1 ? (asked[0] ?? null) : null,
    };
    return this.engine.door.serve(this.#atDoor('describe', authorization, facts), async (failBefore) => {
      failBefore();
      const view = this.engine.instances.view();
      view.require(ids ?? []);
      return view.find(call).map((instance) => this.engine.describe(instance, view.now));
    });
  }

  /** Idempotent as long as the instance can be seen. */
  terminate(id: string, authorization?: string): Promise<DescribedInstance> {
    return this.#serveChange('terminate', id, authorization, (instance) =>
      this.engine.instances.operate('terminate', instance),
    );
  }

  /** Each call boots it once more. */
  reboot(id: string, authorization?: string): Promise<DescribedInstance> {
    return this.#serveChange('reboot', id, authorization, (instance) =>
      this.engine.instances.operate('reboot', instance),
    );
  }

  /** Adds tags to an instance, and replaces those of the same keys. */
  tag(id: string, { tags }: TagCall, authorization?: string): Promise<DescribedInstance> {
    return this.#serveChange('tag', id, authorization, (instance) => this.engine.instances.addTags(instance, tags));
  }

  catalog(authorization?: string): Promise<Catalog> {
    return this.engine.door.serve(this.#atDoor('catalog', authorization, {}), async (failBefore) => {
      failBefore();
      return this.#catalog;
    });
  }

  #make({ image, instanceType, tags = {}, zone }: LaunchCall, token: string | undefined): CloudInstance {
    const { region } = this.#catalog;
    return this.engine.instances.add({
      id: this.#newId(),
      region,
      zone,
      instanceType,
      image,
      tags,
      ...given({ token }),
      addresses: addressesOf(this.engine.instances.size + 1, region),
    });
  }

  #newId(): string {
    const digits = Array.from({ length: 17 }, () => Math.floor(this.engine.clock.random() * 16).toString(16));
    return `i-${digits.join('')}`;
  }

  #serveChange(
    action: 'terminate' | 'reboot' | 'tag',
    id: string,
    authorization: string | undefined,
    change: (instance: CloudInstance) => CloudInstance,
  ): Promise<DescribedInstance> {
    const instanceType = this.engine.instances.get(id)?.instanceType;
    return this.engine.door.serve(
      this.#atDoor(action, authorization, this.engine.factsOf(id), instanceType),
      async (failBefore) => {
        failBefore();
        this.engine.instances.view().require([id]);
        const instance = this.engine.instances.get(id);
        if (instance === undefined) throw unknownInstances([id]);
        return this.engine.describe(change(instance));
      },
    );
  }

  /** Every call concerns one instance at most. */
  #atDoor(action: Action, authorization: string | undefined, facts: CallFacts, instanceType = EVERY_TYPE): CallAtDoor {
    const limited = { account: authorization ?? '', region: this.#catalog.region, action, instances: 1 };
    return { action, authorization, facts, instanceType, limited };
  }
}
