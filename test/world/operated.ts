import { openshift } from '../../k8s/dialects/openshift/api.ts';
import { ApiRegistry } from '../../k8s/dialects/registry.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { aMachine, type MachineFacts } from './builders/a-machine.ts';
import { NAMESPACE } from './builders/metadata.ts';
import { ApiServer } from './kubernetes/api-server.ts';
import { ownClock } from './world-clock.ts';
import { given } from '../../providers/given.ts';
import type { OperationParts } from '../../starters/cli/commands/machine/operation.ts';

/** A cluster in memory that a person operates on, while the test plays the workflow. */
export class Operated {
  readonly clock = ownClock();
  readonly kube = new ApiServer({ now: () => this.clock.timeOfDay() });
  /** What was printed. */
  readonly lines: string[] = [];
  /** What Temporal says keeps the workflow from its next step. */
  obstacle: string | undefined;
  /** How often Temporal was asked. */
  reports = 0;
  /** Ctrl-C; undefined while that ends the process. */
  interrupt: (() => void) | undefined;

  get parts(): OperationParts {
    return {
      access: { kube: this.kube.client, apis: new ApiRegistry([openshift]), namespace: NAMESPACE },
      clock: this.clock,
      print: (line) => this.lines.push(line),
      report: async () => {
        this.reports += 1;
        return { id: 'machine/…', state: 'running', link: '', ...given({ obstacle: this.obstacle }) };
      },
      onInterrupt: (stop) => {
        this.interrupt = stop;
        return () => (this.interrupt = undefined);
      },
    };
  }

  /** A Machine that runs, unless the facts say otherwise. */
  put(name: string, facts: MachineFacts = {}): void {
    const status = { phase: 'Running', nodeRef: { name: 'n', uid: 'uid-of-n' }, observedGeneration: 1 } as const;
    this.kube.put(aMachine({ name, instanceId: 'i-1', ...facts, status: { ...status, ...facts.status } }));
  }

  machine(name: string): MachineObject | undefined {
    return this.kube.peek(MACHINES, NAMESPACE, name) as MachineObject | undefined;
  }

  /** The workflow writes this, so many milliseconds from now, after it has seen the Machine as it is then. */
  writesAfter(ms: number, name: string, status: object): void {
    this.clock.after(ms, () => {
      const observedGeneration = this.machine(name)?.metadata.generation;
      const body = { status: { observedGeneration, ...status } };
      void this.kube.others.mergePatch(MACHINES, NAMESPACE, name, body, { subresource: 'status' });
    });
  }

  /** The workflow deletes the Machine, and lets it go. */
  goesAfter(ms: number, name: string): void {
    this.clock.after(ms, () => this.kube.drop(MACHINES, NAMESPACE, name));
  }
}
