import type { WorkloadsRun } from './cluster/workload-kinds.ts';
import type { Habits } from './people/habits.ts';

/** What a run is about. */
export interface Scenario {
  /** How strong the storm is at most, from 0 to 1: each run has a strength of its own below it. */
  readonly storm: number;
  readonly habits: Habits;
  /** Replicas that each set begins with. */
  readonly sets: readonly number[];
  /** Replicas that each MachineDeployment begins with. @default there is none */
  readonly deployments?: readonly number[];
  /** They go by steps, and stop for machines that do not come up. @default they do not */
  readonly bySteps?: boolean;
  /** They have sizes for cluster-autoscaler. @default they do not */
  readonly isSized?: boolean;
  /** There are a Cluster and MachineClasses, of which the sets' Machines are. */
  readonly isShared: boolean;
  /** All machines are behind load balancers of EC2. @default none is */
  readonly isBalanced?: boolean;
  /** Pods run on the Nodes, with budgets; `jobs`: only such as end by themselves. @default none do */
  readonly workloads?: WorkloadsRun;
  /** Each set has a MachineHealthCheck, and some kubelets never come up. @default none has */
  readonly hasChecks?: boolean;
  /** The share of reboots after which a machine never comes back, though the cloud did as it was told. @default 0 */
  readonly lostReboots?: number;
  /** Checks have steps for another program, which is there, and cannot always help. @default they have none */
  readonly hasProgram?: boolean;
  /** So many Machines are a control plane, which somebody replaces when they are gone. @default none */
  readonly masters?: number;
  /** Machines of no set. */
  readonly singles: number;
  /** For how long people and adversary are at work, in minutes. */
  readonly minutes: number;
  /** How long it may take at most until everything is as asked for, in minutes. */
  readonly restMinutes: number;
}

const NOBODY: Habits = { deeds: {}, perMinute: 0, mostReplicas: 0 };

export const SCENARIOS = {
  /** Machines come up, and nothing else happens. */
  up: { storm: 0, habits: NOBODY, sets: [10], isShared: false, singles: 5, minutes: 2, restMinutes: 30 },
  /** Sets grow and shrink, machines are deleted, nothing goes wrong. */
  churn: {
    storm: 0,
    habits: {
      perMinute: 6,
      mostReplicas: 12,
      deeds: { scale: 4, 'delete machine': 3, 'create machine': 3 },
    },
    sets: [8, 4],
    isShared: false,
    singles: 2,
    minutes: 20,
    restMinutes: 30,
  },
  /** Everything that people and the outside may do. */
  hostile: {
    storm: 1,
    habits: {
      perMinute: 3,
      mostReplicas: 6,
      deeds: {
        scale: 4,
        'delete machine': 4,
        'create machine': 3,
        pause: 2,
        edit: 2,
        strip: 1,
        restore: 1,
        terminate: 1,
        vanish: 0.5,
        force: 0.5,
        'end workflow': 0.5,
        relabel: 0.7,
        disown: 0.7,
        recreate: 0.7,
        'replace by force': 0.3,
        stop: 0.5,
        blink: 0.5,
        flap: 1,
      },
    },
    sets: [4],
    isShared: false,
    singles: 3,
    minutes: 20,
    restMinutes: 180,
  },
  /** Machines are rolled by hand and by what scales sets, and Millwright is replaced meanwhile. */
  upgrade: {
    storm: 1,
    habits: {
      perMinute: 4,
      mostReplicas: 8,
      deeds: {
        'edit template': 3,
        'mark and scale': 4,
        'roll by hand': 1,
        'delete machine': 2,
        flap: 3,
        scale: 3,
        'replace Millwright': 1,
      },
    },
    sets: [4, 2],
    isShared: false,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** Sets grow by much, and a moment later nobody wants that any more. */
  overshot: {
    storm: 1,
    habits: {
      perMinute: 4,
      mostReplicas: 8,
      deeds: { overshoot: 5, scale: 2, 'delete machine': 2, 'end workflow': 0.2, 'replace Millwright': 0.3 },
    },
    sets: [2, 1],
    isShared: false,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** A Cluster and classes are edited, paused and deleted while Machines are of them. */
  shared: {
    storm: 1,
    habits: {
      perMinute: 4,
      mostReplicas: 5,
      deeds: {
        'create machine of class': 3,
        'delete machine': 4,
        scale: 3,
        'pause cluster': 2,
        'edit cluster': 1,
        'delete cluster': 0.5,
        'edit class': 2,
        'delete class': 0.5,
        'retire class': 1,
        'switch class': 1,
        pause: 1,
        restore: 0.5,
        force: 0.3,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [3, 3],
    isShared: true,
    singles: 1,
    minutes: 20,
    restMinutes: 180,
  },
  /** Objects are lost, and come back from a backup: all of a Machine but its instance is another one then. */
  restored: {
    storm: 1,
    habits: {
      perMinute: 3,
      mostReplicas: 5,
      deeds: {
        'restore anew': 5,
        restore: 1,
        'create machine': 2,
        'delete machine': 3,
        scale: 2,
        terminate: 0.5,
        stop: 0.3,
        strip: 0.3,
        pause: 0.5,
        'end workflow': 1,
        'pause cluster': 0.5,
        'delete cluster': 0.3,
        'replace Millwright': 0.3,
      },
    },
    sets: [3],
    isShared: true,
    singles: 3,
    minutes: 20,
    restMinutes: 180,
  },
  /** Nodes with pods, budgets and hooks are drained. */
  drained: {
    storm: 1,
    habits: {
      perMinute: 4,
      mostReplicas: 6,
      deeds: {
        scale: 3,
        'delete machine': 4,
        'create machine': 3,
        hook: 3,
        'edit drain': 2,
        hurry: 0.5,
        'edit budget': 3,
        'edit deployment': 0.5,
        'drain surged': 2,
        'edit consent': 0.5,
        pause: 1,
        restore: 0.5,
        terminate: 0.5,
        stop: 0.7,
        hang: 0.7,
        halt: 0.5,
        force: 0.3,
        'end workflow': 0.7,
        'replace Millwright': 0.5,
      },
    },
    sets: [4],
    isShared: false,
    workloads: 'all',
    singles: 2,
    minutes: 20,
    restMinutes: 180,
  },
  /** Deletions are asked for and taken back, Nodes are emptied for a while, and people cordon some themselves. */
  aborted: {
    storm: 1,
    habits: {
      perMinute: 5,
      mostReplicas: 5,
      deeds: {
        'ask to delete': 3,
        'take back': 3,
        'change their mind': 4,
        'take back meanwhile': 4,
        'ask again meanwhile': 3,
        'create machine to delete': 0.5,
        'set policy': 1.5,
        maintenance: 3,
        hang: 0.5,
        cordon: 1.5,
        uncordon: 1,
        scale: 2,
        'delete machine': 1,
        'create machine': 3,
        hook: 2,
        'edit drain': 1,
        'edit budget': 2,
        'edit deployment': 0.5,
        'drain surged': 2,
        'edit consent': 0.5,
        outage: 0.2,
        restore: 0.3,
        terminate: 0.3,
        force: 0.2,
        'end workflow': 0.7,
        'replace Millwright': 0.5,
      },
    },
    sets: [3],
    isShared: false,
    workloads: 'all',
    singles: 3,
    minutes: 20,
    restMinutes: 180,
  },
  /** Machines of a control plane are deleted, one by one and all at once. */
  quorum: {
    storm: 1,
    habits: {
      perMinute: 3,
      mostReplicas: 3,
      deeds: {
        'delete machine': 4,
        'delete all masters': 1,
        'ask to delete': 1,
        'change their mind': 2,
        hook: 1,
        'set policy': 1,
        scale: 1,
        pause: 1,
        restore: 0.3,
        terminate: 0.4,
        stop: 0.3,
        outage: 0.1,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [2],
    masters: 3,
    isShared: false,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** Machines of sets go, with a drain and without, and are held by hooks on their way. */
  replaced: {
    storm: 1,
    habits: {
      perMinute: 5,
      mostReplicas: 6,
      deeds: {
        'delete machine': 5,
        'set policy': 4,
        hook: 4,
        'edit replaceAfter': 1.5,
        scale: 1.5,
        'mark and scale': 1,
        'ask to delete': 1,
        terminate: 0.3,
        pause: 0.5,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [4, 3],
    isShared: false,
    workloads: 'all',
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** Kubelets hang, Nodes flap, zones are lost, machines never join; and each set has a MachineHealthCheck. */
  healed: {
    storm: 1,
    habits: {
      perMinute: 5,
      mostReplicas: 7,
      deeds: {
        hang: 3,
        'hang for good': 4,
        'lose zone': 0.7,
        'flap node': 2,
        'rewrite node': 1.5,
        stop: 0.5,
        halt: 0.3,
        terminate: 1,
        'want remediation': 1,
        'want left alone': 1,
        'veto late': 1.5,
        'edit maxUnhealthy': 0.5,
        'edit maxInFlight': 0.5,
        'pause check': 0.5,
        'recreate check': 0.4,
        proceed: 0.3,
        pause: 0.5,
        scale: 1,
        'delete machine': 0.7,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [6, 3],
    isShared: false,
    hasChecks: true,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** Health checks have machines rebooted, of which some never come back. */
  rebooted: {
    storm: 1,
    habits: {
      perMinute: 3,
      mostReplicas: 6,
      deeds: {
        hang: 1.5,
        'hang for good': 4,
        'lose zone': 0.3,
        'flap node': 2,
        'rewrite node': 1.5,
        terminate: 0.3,
        'want remediation': 1,
        'want left alone': 0.5,
        'veto late': 0.7,
        'edit maxInFlight': 0.3,
        'pause check': 0.4,
        'recreate check': 0.3,
        proceed: 0.3,
        pause: 0.3,
        scale: 0.5,
        'delete machine': 0.5,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [5],
    isShared: false,
    hasChecks: true,
    lostReboots: 0.4,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** All kubelets of a zone hang, again and again: each zone has some machines of one check, and hardly anything else happens. */
  zoned: {
    storm: 1,
    habits: {
      perMinute: 1,
      mostReplicas: 8,
      deeds: {
        'lose zone': 3,
        hang: 0.4,
        'hang for good': 0.4,
        terminate: 0.3,
        'veto late': 0.3,
        'edit maxInFlight': 0.3,
        proceed: 0.1,
        'end workflow': 0.2,
        'replace Millwright': 0.2,
      },
    },
    sets: [8],
    isShared: false,
    hasChecks: true,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** The API server is away for minutes, again and again, and hears of no Node for a while then; some of them really hang. */
  unheard: {
    storm: 0.5,
    habits: {
      perMinute: 2.5,
      mostReplicas: 7,
      deeds: {
        'lose API server': 2,
        hang: 2,
        'hang for good': 3,
        terminate: 0.5,
        'rewrite node': 0.5,
        'edit maxUnhealthy': 1,
        scale: 0.5,
        'delete machine': 0.5,
        'replace Millwright': 0.3,
      },
    },
    sets: [5, 3],
    isShared: false,
    hasChecks: true,
    singles: 0,
    minutes: 25,
    restMinutes: 180,
  },
  /** Templates of deployments change, also while they are rolled out, and are put back; they are scaled, paused, deleted and settled in place meanwhile. */
  rolled: {
    storm: 1,
    habits: {
      perMinute: 3,
      mostReplicas: 6,
      deeds: {
        release: 5,
        'release twice': 2,
        'scale deployment': 3,
        'mark and scale deployment': 1.5,
        'pause rollout': 2,
        'meddle with a set': 0.7,
        'settle template': 3,
        'mark a Node': 1.5,
        'taint a Machine': 0.5,
        'delete deployment': 0.1,
        'delete machine': 2,
        'edit drain': 1,
        terminate: 0.4,
        hang: 0.5,
        pause: 0.5,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [],
    deployments: [4, 3],
    isShared: false,
    workloads: 'jobs',
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** Rollouts go by steps, some with machines that never come up; they stop, are undone, and may replace nothing for a while. */
  stepped: {
    storm: 1,
    habits: {
      perMinute: 2.5,
      mostReplicas: 6,
      deeds: {
        'release anew': 1,
        'release what fails': 1.5,
        'undo rollout': 0.5,
        'let step': 4,
        'forbid replacing': 0.7,
        'pause rollout': 0.7,
        'scale deployment': 0.7,
        'mark and scale deployment': 0.4,
        'delete machine': 1.5,
        terminate: 0.4,
        hang: 0.4,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [],
    deployments: [4, 3],
    bySteps: true,
    isShared: false,
    workloads: 'jobs',
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** Deployments that cluster-autoscaler scales are rolled, and workers stand still right before a machine goes. */
  interrupted: {
    storm: 1,
    habits: {
      perMinute: 4,
      mostReplicas: 6,
      deeds: {
        release: 5,
        'stall a taking': 4,
        'mark and scale deployment': 3,
        'scale deployment': 2,
        'pause rollout': 0.5,
        'delete machine': 1,
        'replace Millwright': 0.3,
      },
    },
    sets: [],
    deployments: [4, 3],
    isSized: true,
    isShared: false,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
  /** Machines behind load balancers. */
  balanced: {
    storm: 1,
    habits: {
      perMinute: 3,
      mostReplicas: 6,
      deeds: {
        scale: 4,
        'delete machine': 4,
        'create machine': 3,
        restore: 1,
        'restore anew': 1,
        terminate: 1,
        force: 0.5,
      },
    },
    sets: [4],
    isShared: false,
    isBalanced: true,
    singles: 3,
    minutes: 20,
    restMinutes: 180,
  },
  /** Checks have machines remedied by another program, which helps some of them; the steps are edited meanwhile. */
  remedied: {
    storm: 1,
    habits: {
      perMinute: 4,
      mostReplicas: 6,
      deeds: {
        hang: 2,
        'hang for good': 4,
        'flap node': 2,
        'rewrite node': 1.5,
        terminate: 0.5,
        'want remediation': 1,
        'want left alone': 0.7,
        'veto late': 0.7,
        'edit steps': 2,
        'edit maxInFlight': 0.4,
        'pause check': 0.4,
        'recreate check': 0.4,
        pause: 0.4,
        scale: 0.7,
        'delete machine': 0.5,
        'end workflow': 0.5,
        'replace Millwright': 0.5,
      },
    },
    sets: [5, 3],
    isShared: false,
    hasChecks: true,
    hasProgram: true,
    singles: 0,
    minutes: 20,
    restMinutes: 180,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

/** What is played in turn where no scenario is named. */
export const PLAYED = Object.keys(SCENARIOS) as readonly ScenarioName[];
