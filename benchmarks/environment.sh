# Sourced by the scripts beside it: builds what they need, once, and says where it is.
# BENCHMARKS_BUILD=always builds again, =never doesn't.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
java_options=(-Xms1g -Xmx1g)
class_path=$here/target/classes:$here/target/lib/*
kafka_jars=$here/target/apache-kafka
korvet_home=$root

case ${BENCHMARKS_BUILD:-once} in
  never) build=no ;;
  always) build=yes ;;
  *) build=yes; [ -d "$here/target/lib" ] && build=no ;;
esac
if [ $build = yes ]; then
  mvn -B -q -f "$root/pom.xml" -pl benchmarks,distribution -am -DskipTests -Dspotless.check.skip package >&2
fi
if [ ! -e "$kafka_jars/complete" ]; then
  mvn -B -q -f "$here/apache-kafka/pom.xml" \
    -Dkafka.version="$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$root/pom.xml")" \
    org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$kafka_jars" >&2
  touch "$kafka_jars/complete"
fi
