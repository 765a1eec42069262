#!/bin/sh
# Runs Maven offline, on files whose SHA-256 is listed here: libraries and Maven's plugins, with what they need. What is
# missing is downloaded first; nothing of it runs before it is checked, but for the plugin that downloads.
#   sh build.sh                     builds build/worker.jar
#   sh build.sh mvn ARGUMENTS...    runs Maven with the tools of artifacts-dev.sha256, too: `sh build.sh mvn -Pcheck test`
#   sh build.sh renew               downloads all anew and lists it: look at what changed before you commit that
set -eu
cd "$(dirname "$0")"
repository=build/repository
fetcher=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
maven="mvn -B -ntp -Dstyle.color=never -Dmaven.repo.local=$PWD/$repository"

fail() {
    echo "$1" >&2
    exit 1
}

sums() { # of all that Maven would take from the repository
    hash='shasum -a 256'
    if command -v sha256sum >/dev/null; then hash=sha256sum; fi
    if [ -d $repository ]; then
        (cd $repository && find . -type f \( -name '*.jar' -o -name '*.pom' \) -exec $hash {} +) | sed 's| [ *]\./|  |' | sort -k 2
    fi
}

# Prints what is missing of the lists; a file that is not listed is removed, and one that has changed ends the build.
check() { # LIST...
    sums >build/sums
    cat "$@" | awk '
        FILENAME != "-" { is[$2] = $1; next }
        { listed[$2] = 1 }
        !($2 in is) { print "missing", $2 }
        $2 in is && is[$2] != $1 { print "changed", $2 }
        END { for (path in is) if (!(path in listed)) print "unlisted", path }
    ' build/sums - >build/found
    sed -n 's/^unlisted //p' build/found | while read -r path; do rm "$repository/$path"; done
    changed=$(sed -n '/^changed /{s///p;q;}' build/found)
    if [ -n "$changed" ]; then
        fail "workers/java: $changed is not the file that $(grep -l " $changed\$" "$@") lists; remove workers/java/$repository and build again"
    fi
    sed -n 's/^missing //p' build/found
}

# A project that does nothing but copy the files of these paths: as it resolves them, Maven downloads them.
fetching() {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>'
    echo '<packaging>pom</packaging><build><plugins><plugin><artifactId>maven-dependency-plugin</artifactId><configuration>'
    echo "<outputDirectory>fetched</outputDirectory><prependGroupId>true</prependGroupId><artifactItems>"
    awk -F / '{
        version = $(NF - 1); artifact = $(NF - 2); group = $1
        for (place = 2; place < NF - 2; place++) group = group "." $place
        type = $NF; sub(/.*\./, "", type)
        classifier = substr($NF, length(artifact "-" version) + 1); sub(/\.[a-z]*$/, "", classifier); sub(/^-/, "", classifier)
        printf "<artifactItem><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>", group, artifact, version
        printf "<type>%s</type>%s</artifactItem>\n", type, classifier == "" ? "" : "<classifier>" classifier "</classifier>"
    }'
    echo '</artifactItems></configuration></plugin></plugins></build></project>'
}

fetch() { # LIST...
    missing=$(check "$@")
    if [ -z "$missing" ]; then return; fi
    echo "$missing" | fetching >build/fetch.xml
    $maven -q -f build/fetch.xml $fetcher:copy || fail "workers/java: Maven could not download what is missing; see above"
    rm -rf build/fetched build/fetch.xml
    missing=$(check "$@" | head -1)
    if [ -n "$missing" ]; then fail "workers/java: $missing is missing, although Maven downloaded it; build again"; fi
}

renew() {
    rm -rf $repository
    # For both architectures.
    $maven -q -Paccp-x86_64,accp-aarch64 -Dmaven.test.skip=true package
    sums >artifacts.sha256
    $maven -q -Pcheck test
    $maven -q spotless:check
    sums | grep -v -x -F -f artifacts.sha256 >artifacts-dev.sha256
}

mkdir -p build
case ${1:-package} in
package)
    fetch artifacts.sha256
    exec $maven -q -o -Dmaven.test.skip=true package
    ;;
mvn)
    shift
    fetch artifacts.sha256 artifacts-dev.sha256
    exec $maven -o "$@"
    ;;
renew) renew ;;
*) fail "usage: sh build.sh [mvn ARGUMENTS...|renew]" ;;
esac
