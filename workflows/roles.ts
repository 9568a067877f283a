import type { Role } from '../k8s/dialects/kind.ts';
import type * as workflows from './index.ts';

/** The workflow of the objects of a role. */
export interface RoleWorkflow {
  readonly type: keyof typeof workflows;
  /** For the Temporal UI: what it is there for. */
  readonly purpose: string;
}

/** A new role is a line here. */
export const ROLE_WORKFLOWS: Readonly<Record<Role, RoleWorkflow>> = {
  machine: { type: 'machine', purpose: 'The whole life of one machine, until its object is gone.' },
  machineSet: { type: 'machineSet', purpose: 'Keeps as many machines as the MachineSet asks for.' },
  machineDeployment: {
    type: 'machineDeployment',
    purpose: 'Has machines replaced step by step when the template of the MachineDeployment changes.',
  },
  machineClass: {
    type: 'machineClass',
    purpose: 'Keeps the MachineClass while something refers to it, and says who does.',
  },
  machineHealthCheck: {
    type: 'machineHealthCheck',
    purpose: 'Sees to it that unhealthy machines are remediated, few at a time.',
  },
  cluster: { type: 'cluster', purpose: 'Says how many machines the Cluster has, and how many of them are Ready.' },
};
