#!/bin/sh
# Prints the versions of the JDK and of Maven in one line, or what is missing. Maven may run another JDK than PATH's.
wanted='wanted are a JDK 17 or later (java, javac) and Maven 3.6.3 or later (sudo apt-get install openjdk-17-jdk-headless maven)'
fail() {
    echo "$1; $wanted" >&2
    exit 1
}

java=$(java -version 2>&1) || fail 'there is no java'
java=$(echo "$java" | sed -n 's/.* version "\([^"]*\)".*/\1/p')
[ "${java%%[!0-9]*}" -ge 17 ] 2>/dev/null || fail "java is of version ${java:-unknown}"
javac -version >/dev/null 2>&1 || fail "java is of version $java, but there is no javac"
maven=$(mvn -version 2>/dev/null) || fail "java is of version $java, but there is no mvn"
under=$(echo "$maven" | sed -n 's/^Java version: \([^,]*\),.*/\1/p')
[ "${under%%[!0-9]*}" -ge 17 ] 2>/dev/null || fail "mvn runs Java ${under:-of an unknown version}; set JAVA_HOME"
maven=$(echo "$maven" | sed -n 's/.*Apache Maven \([0-9.]*\).*/\1/p')
echo "Java $java, Maven $maven"
