import type { ClusterObject } from '../../api/machine.openshift.io/cluster.ts';
import type { ClusterStatus } from '../../model/cluster.ts';
import { PAUSED_ANNOTATION } from '../../model/paused-annotation.ts';
import { CLUSTERS } from './resources.ts';
import { metaOf, refOf, type ClusterKind } from '../kind.ts';
import { createWellFormedCheck } from '../well-formed.ts';
import { readConditions } from './conditions.ts';
import { definitionOf } from '../definition.ts';
import { given } from '../../../providers/given.ts';

const definition = definitionOf(CLUSTERS);
const problemsOf = createWellFormedCheck(definition);

export const cluster: ClusterKind = {
  role: 'cluster',
  resource: CLUSTERS,
  definition,
  policies: [],
  own: { labels: new Set(), annotations: new Set() },

  read(object) {
    const { metadata, spec, status } = object as ClusterObject;
    // A status that cannot be read is written anew; what the Cluster wants is known without it.
    const { spec: malformed, status: unreadable } = problemsOf(object);
    const { paused, defaults, controlPlane } = malformed === undefined ? { ...spec } : { paused: true };
    const { region, credentialsSecret, tags = [] } = defaults ?? {};
    return {
      meta: metaOf(object),
      clusterName: metadata.name,
      wanted: [metadata.generation, ...(unreadable === undefined ? [] : [status])],
      status: statusOf(unreadable === undefined ? status : undefined),
      cluster: {
        ...given({ malformed, controlPlaneSize: controlPlane?.size }),
        ref: refOf(object),
        generation: metadata.generation,
        paused: paused === true || metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
        defaults: {
          ...given({ region, credentialsSecret: credentialsSecret?.name }),
          tags,
        },
      },
    };
  },

  writeStatus: (status) => status,

  newCluster(namespace, name) {
    const { apiVersion, kind } = CLUSTERS;
    return { apiVersion, kind, metadata: { name, namespace }, spec: {} };
  },
};

function statusOf(stored: ClusterObject['status'] = {}): Partial<ClusterStatus> {
  const { machines, readyMachines, observedGeneration, conditions } = stored;
  return {
    ...given({ machines, readyMachines, observedGeneration }),
    ...given({ conditions: conditions && readConditions('cluster', conditions).own }),
  };
}
