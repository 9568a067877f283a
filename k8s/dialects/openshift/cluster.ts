import type { ClusterObject } from '../../api/cluster.ts';
import { PAUSED_ANNOTATION } from '../../model/labels.ts';
import { CLUSTERS } from '../../resources.ts';
import { metaOf, refOf, type ClusterKind } from '../kind.ts';
import { createWellFormedCheck } from '../well-formed.ts';
import { definitionOf } from './definition.ts';

const definition = definitionOf(CLUSTERS);
// Its status is nobody's of ours: what a Cluster wants is known without it.
const problemsOf = createWellFormedCheck(definition, ['spec']);

export const cluster: ClusterKind = {
  role: 'cluster',
  resource: CLUSTERS,
  definition,
  own: { labels: new Set(), annotations: new Set() },

  read(object) {
    const { metadata, spec } = object as ClusterObject;
    const { spec: malformed } = problemsOf(object);
    const { paused, defaults } = malformed === undefined ? { ...spec } : { paused: true };
    const { region, credentialsSecret, tags = [] } = defaults ?? {};
    return {
      meta: metaOf(object),
      wanted: metadata.generation,
      cluster: {
        ...(malformed === undefined ? {} : { malformed }),
        ref: refOf(object),
        paused: paused === true || metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
        defaults: {
          ...(region === undefined ? {} : { region }),
          ...(credentialsSecret === undefined ? {} : { credentialsSecret: credentialsSecret.name }),
          tags,
        },
      },
    };
  },

  newCluster(namespace, name) {
    const { apiVersion, kind } = CLUSTERS;
    return { apiVersion, kind, metadata: { name, namespace }, spec: {} };
  },
};
