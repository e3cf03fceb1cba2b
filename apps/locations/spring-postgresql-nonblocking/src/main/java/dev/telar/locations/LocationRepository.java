package dev.telar.locations;

import org.springframework.data.r2dbc.repository.Modifying;
import org.springframework.data.r2dbc.repository.Query;
import org.springframework.data.r2dbc.repository.R2dbcRepository;
import org.springframework.data.repository.query.Param;
import reactor.core.publisher.Mono;

interface LocationRepository extends R2dbcRepository<Location, Long> {

    /** One statement, which says whether there was such a location. */
    @Modifying
    @Query(
            """
            UPDATE location SET name = :#{#location.name}, description = :#{#location.description},\
             latitude = :#{#location.latitude}, longitude = :#{#location.longitude}
            WHERE id = :id""")
    Mono<Long> replace(@Param("id") long id, @Param("location") Location location);

    @Modifying
    @Query("DELETE FROM location WHERE id = :id")
    Mono<Long> deleteLocation(@Param("id") long id);
}
